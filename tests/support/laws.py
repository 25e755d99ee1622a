"""How many examples a law is tried on: `make test` takes the short profile, `make fuzz` the long one."""

from __future__ import annotations

import os

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "short")
settings.register_profile("short", deadline=None)
settings.register_profile("long", deadline=None, max_examples=10_000)
# For laws that build whole sites.
FEW = settings(deadline=None, max_examples=400 if PROFILE == "long" else 40)
