"""TOML is read as tomllib reads it, but for keys that would take it minutes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial

import pytest
from support.cost import assert_linear

from sitemapper.syntax import toml
from sitemapper.syntax.project_files import values

LONG = "a." * 300


@pytest.mark.parametrize(
    "text", [f"{LONG}a = 1", f"[{LONG}a]", f"x = 1\ny = {{ {LONG}a = 1 }}", f"'a'.{LONG}\"a\" = 1"]
)
def test_a_key_of_very_many_parts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"A key has more than 200 parts \(at line \d"):
        toml.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{LONG}"',
        f"x = '{LONG}'",
        "match = [" + ", ".join(f"'{n}.html'" for n in range(300)) + "]",
        "[a.b]\n[a.c]",
        "x = 1.",
    ],
)
def test_everything_else_is_read_as_ever(text: str) -> None:
    def read(loads: Callable[[str], object]) -> object:
        try:
            return loads(text)
        except ValueError:
            return None

    assert read(toml.loads) == read(tomllib.loads)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("hugo.toml", lambda n: "a." * n + "a = 1"),
        ("conf.py", lambda n: f"x = f'{'{a}' * n}'"),
    ],
)
def test_a_project_file_takes_no_long_time(name: str, make: Callable[[int], str]) -> None:
    assert_linear(lambda n: partial(values, make(n), name), 100_000)
