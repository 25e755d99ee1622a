"""Where a value comes from: the file, then the environment, then flags."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, paths

from sitemapper import SitemapperError, load


def test_include_adds_to_html_wherever_it_is_written(
    site: Site, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "", "b.png": "", "c.pdf": "", "d.svg": ""})
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["a.html", "c.pdf"]
    monkeypatch.setenv("SITEMAPPER_INCLUDE", "*.svg")
    assert run("build", root, "--base-url", BASE) == 0
    assert paths(root) == ["a.html", "d.svg"]
    (tmp_path / "sitemapper.toml").write_text('include = ["*.png"]')
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["a.html", "b.png", "c.pdf", "d.svg"]
    assert run("build", root, "--base-url", BASE, "--include", "!*.html") == 0
    assert paths(root) == ["b.png", "d.svg"]


@pytest.mark.parametrize(
    ("include", "said"),
    [
        (["docs/*.html"], "docs/*.html"),
        (["*.pdf", "*.html"], "*.html"),
        (["*.epub"], None),
        (["*.pdf"], None),
        (["!*.html", "docs/*.html"], None),
    ],
)
def test_a_pattern_of_include_that_adds_nothing_is_a_warning(
    site: Site, run: Run, include: list[str], said: str | None
) -> None:
    root = site({"docs/a.html": "", "b.html": "", "c.pdf": ""})
    flags = [word for pattern in include for word in ("--include", pattern)]
    assert run("build", root, "--base-url", BASE, "--strict", "--no-lastmod", *flags) == (
        1 if said else 0
    )
    warning = f"warning: this pattern adds no file: include: {said}\n"
    assert warning in run.err if said else not run.err


def test_an_empty_variable_is_not_set(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": ""})
    monkeypatch.setenv("SITEMAPPER_OUTPUT", "")
    assert run("build", root, "--base-url", BASE) == 0
    assert (root / "sitemap.xml").exists()


@pytest.mark.parametrize("text", ["050", "٣", "1e5", "-1", "nan"])
def test_a_variable_that_is_no_number_of_toml_is_an_error(tmp_path: Path, text: str) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_MAX_DROP": text}
    with pytest.raises(
        SitemapperError, match=r"^environment: SITEMAPPER_MAX_DROP: max_drop: must be .*, not "
    ):
        load(env=env, cwd=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True),
        ("on", True),
        ("1", True),
        ("True", True),
        ("no", False),
        ("OFF", False),
        ("0", False),
    ],
)
def test_a_variable_of_true_or_false_is_written_as_people_do(
    tmp_path: Path, text: str, expected: bool
) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_STRICT": text, "SITEMAPPER_ROBOTS_WRITE": text}
    setup = load(env=env, cwd=str(tmp_path))
    assert (setup.settings.strict, setup.settings.robots.write) == (expected, expected)


def test_another_word_in_such_a_variable_is_an_error(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_STRICT": "ja"}
    with pytest.raises(SitemapperError) as caught:
        load(env=env, cwd=str(tmp_path))
    assert (
        str(caught.value)
        == "environment: SITEMAPPER_STRICT: strict: must be true or false, not 'ja'"
    )


def test_an_item_of_a_list_in_a_variable_is_an_error_of_the_variable(tmp_path: Path) -> None:
    env = {
        "SITEMAPPER_BASE_URL": BASE,
        "SITEMAPPER_LASTMOD": "git,mtimes",
        "SITEMAPPER_IGNORE": "a/,b\\",
    }
    with pytest.raises(SitemapperError) as caught:
        load(env=env, cwd=str(tmp_path))
    assert str(caught.value).splitlines()[::2] == [
        "environment: SITEMAPPER_IGNORE: ignore: 'b\\\\' is not a gitignore pattern",
        "environment: SITEMAPPER_LASTMOD: lastmod[1]: must be one of auto, page, published, front_matter, git, ledger, mtime, not 'mtimes'",
    ]
