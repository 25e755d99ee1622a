"""How many examples a law is tried on: `make test` takes the quick profile, `make fuzz` the long one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

if not os.access(os.getcwd(), os.W_OK):  # a clone of somebody else
    set_hypothesis_home_dir(tempfile.mkdtemp(prefix="hypothesis-"))
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "full")


def examples(full: int, long: int) -> int:
    """How many examples a law gets by default, and from `make fuzz`; `make test` tries a quarter."""
    return {"quick": full // 4, "full": full, "long": long}[PROFILE]


settings.register_profile(PROFILE, deadline=None, max_examples=examples(100, 10_000))
# For laws that build whole sites.
FEW = settings(deadline=None, max_examples=examples(40, 400))


def own_folder(factory: pytest.TempPathFactory, law: str) -> Path:
    """The folder for all examples of a law. Many tests take the one above it for their project."""
    folder = factory.getbasetemp() / "laws" / law
    folder.mkdir(parents=True, exist_ok=True)
    return folder
