"""Templates of `[[git.map]]`: which text a name takes, and how long that may take."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear, seconds

from sitemapper.syntax.templates import compile_map

PIECES = st.sampled_from(["{a}", "{b}", "{c}", "/", "a", "b"])


@given(st.lists(PIECES, max_size=8).map("".join), st.text("ab/", max_size=12))
def test_names_take_the_text_that_a_greedy_expression_gives_them(page: str, path: str) -> None:
    parts = re.split(r"\{([A-Za-z_]\w*)\}", page)
    names = parts[1::2]
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = (f"(?P={s})" if s in names[:n] else f"(?P<{s}>.+)" for n, s in enumerate(names))
    found = re.fullmatch("".join(parts), path)
    sources = ["|".join(f"{{{name}}}" for name in names)]
    if len(set(names)) == len(names):
        assert compile_map(page, sources).names(path) == (
            ["|".join(found.groups())] if found else []
        )
    elif compile_map(page, sources).names(path):
        assert found


@pytest.mark.slow
def test_four_names_on_a_deep_path_take_no_time() -> None:
    templates = compile_map("blog/{y}/{m}/{d}/{slug}/index.html", ["{y}-{m}-{d}-{slug}.md"])

    def attempt(n: int) -> None:
        assert templates.names("blog/" + "1/" * n + "x.html") == []

    assert_linear(lambda n: partial(attempt, n), 20_000)
    assert templates.names("blog/" + "1/" * 4 + "index.html") == ["1-1-1-1.md"]


def test_repeated_names_are_found_in_paths_with_many_delimiters() -> None:
    by_month = compile_map("{y}/{m}/{y}-{m}-{slug}/index.html", ["{y}/{m}/{slug}.md"])
    title = "-".join(["word"] * 30)
    assert by_month.names(f"2026/11/2026-11-{title}/index.html") == [f"2026/11/{title}.md"]
    assert by_month.names(f"2026/11/2025-11-{title}/index.html") == []
    by_section = compile_map("{section}/{section}-{slug}.html", ["{section}/{slug}.md"])
    assert by_section.names("a-b/a-b-c-d.html") == ["a-b/c-d.md"]
    assert by_section.names("a/b/a/b-c.html") == []  # the name has the shortest text: `a`


@pytest.mark.slow
def test_a_repeated_name_takes_bounded_time_on_any_path() -> None:
    repeating = compile_map("{a}-{b}-{c}-{d}-{a}", ["{a}"])
    for path in ("a-" * 2_047 + "b", "-" * 4_095 + "b"):
        assert repeating.names(path) == []
        assert seconds(partial(repeating.names, path)) < 1
