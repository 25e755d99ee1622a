"""A site that is built in one state, to be disturbed on its way to the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.trial import Trial


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)
