"""How many examples a law is tried on: `make test` takes the short profile, `make fuzz` the long one."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

if not os.access(os.getcwd(), os.W_OK):  # a clone of somebody else
    set_hypothesis_home_dir(tempfile.mkdtemp(prefix="hypothesis-"))
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "short")
settings.register_profile("short", deadline=None)
settings.register_profile("long", deadline=None, max_examples=10_000)
# For laws that build whole sites.
FEW = settings(deadline=None, max_examples=400 if PROFILE == "long" else 40)
