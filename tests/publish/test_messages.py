"""What is said about the output: possible mistakes, and steps that only the user can do."""

from __future__ import annotations

import pytest
from support import BASE, Run, Site, build, notes_of

from sitemapper.messages import Kind, Message


def test_a_project_folder_is_noted(site: Site) -> None:
    root = site({"a.html": "", "package.json": "{}"})
    assert any(
        "may not be the built site: it contains package.json\nhelp: if it is not" in note
        for note in notes_of(build(root))
    )


def test_a_folder_that_its_configuration_names_is_no_question(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "", "sitemapper.toml": f'base_url = "{BASE}"\n'})
    monkeypatch.chdir(root)
    assert run("build", ".") == 0 and "contains sitemapper.toml" in run.err
    (root / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "."\n')
    assert run("build") == 0 and "contains sitemapper.toml" not in run.err


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"mkdocs.yml": ""}, "mkdocs.yml (MkDocs writes to site/)"),
        (
            {"conf.py": "extensions = ['sphinx.ext.autodoc']"},
            "conf.py (Sphinx writes to _build/html/)",
        ),
        ({"hugo.toml": ""}, "hugo.toml (Hugo writes to public/)"),
        ({"conf.py": "x = 1"}, None),
    ],
)
def test_a_project_in_place_of_a_site_is_a_warning(
    site: Site, files: dict[str, str], said: str | None
) -> None:
    root = site({"a.html": "", **files})
    summary = build(root)
    assert summary.warnings == ((Message(Kind.PROJECT, (said,)),) if said else ())
    assert not any("not the built site" in note for note in notes_of(summary))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("a", f"1 published URL has neither a page nor a redirect now: {BASE}a.html\n"),
        ("ab", f"2 published URLs have neither a page nor a redirect now: {BASE}a.html; {BASE}b.html\n"),
        ("abcdef", f"6 published URLs have neither a page nor a redirect now: {BASE}a.html; {BASE}b.html; {BASE}c.html; and 3 more\n"),
    ],
)  # fmt: skip
def test_published_urls_that_lead_nowhere_are_noted(site: Site, names: str, said: str) -> None:
    root = site({f"{name}.html": "" for name in "abcdefgh"})
    build(root)
    for name in names:
        (root / f"{name}.html").unlink()
    redirect = "redirect each to another page, unless it is gone on purpose"
    assert f"{said}help: {redirect}" in notes_of(build(root, max_drop=100))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("a", f"1 published URL has moved without a redirect: {BASE}a.html -> {BASE}new/a.html\n"),
        ("ab", f"2 published URLs have moved without a redirect: {BASE}a.html -> {BASE}new/a.html; {BASE}b.html -> {BASE}new/b.html\n"),
    ],
)  # fmt: skip
def test_published_urls_that_moved_are_noted(site: Site, names: str, said: str) -> None:
    root = site({f"{name}.html": f"<main><p>{name * 200}</main>" for name in "abcd"})
    build(root, lastmod=["ledger"])
    (root / "new").mkdir()
    for name in names:
        (root / f"{name}.html").rename(root / f"new/{name}.html")
    help = "help: redirect each to its new URL"
    assert f"{said}{help}" in notes_of(build(root, lastmod=["ledger"], max_drop=100))
