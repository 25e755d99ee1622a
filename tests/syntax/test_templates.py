"""Templates of `[[git.map]]`: which text a name takes."""

from __future__ import annotations

from sitemapper.syntax.templates import compile_map


def test_repeated_names_are_found_in_paths_with_many_delimiters() -> None:
    by_month = compile_map("{y}/{m}/{y}-{m}-{slug}/index.html", ["{y}/{m}/{slug}.md"])
    title = "-".join(["word"] * 30)
    assert by_month.names(f"2026/11/2026-11-{title}/index.html") == [f"2026/11/{title}.md"]
    assert by_month.names(f"2026/11/2025-11-{title}/index.html") == []
    by_section = compile_map("{section}/{section}-{slug}.html", ["{section}/{slug}.md"])
    assert by_section.names("a-b/a-b-c-d.html") == ["a-b/c-d.md"]
    assert by_section.names("a/b/a/b-c.html") == []  # the name has the shortest text: `a`
