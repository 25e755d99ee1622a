"""Errors that a user can cause say what is wrong and what to do."""

from __future__ import annotations

import pickle

from sitemapper.errors import ConfigError, WorkerError


def test_an_error_comes_back_whole_from_another_process() -> None:
    config = pickle.loads(pickle.dumps(ConfigError("site.toml:1: a\nsite.toml:2: b")))
    assert str(config) == "site.toml:1: a\nsite.toml:2: b"
    assert (
        str(pickle.loads(pickle.dumps(WorkerError("gone", "try again")))) == "gone\nhelp: try again"
    )
