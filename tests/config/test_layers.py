"""Where a value comes from: the file, then the environment, then flags."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, paths
from support.faults import faults

from sitemapper import load


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
    said = faults(tmp_path, env=env)[0]
    assert said.startswith("environment: SITEMAPPER_MAX_DROP: max_drop: must be ")


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


def test_wrong_variables_are_named_with_their_keys(tmp_path: Path) -> None:
    env = {
        "SITEMAPPER_BASE_URL": BASE,
        "SITEMAPPER_LASTMOD": "git,mtimes",
        "SITEMAPPER_IGNORE": "a/,b\\",
        "SITEMAPPER_SITEMAP_MAX_URLS": "ten",
        "SITEMAPPER_STRICT": "ja",
    }
    said = faults(tmp_path, env=env)
    assert [fault for fault in said if not fault.startswith("help: ")] == [
        "environment: SITEMAPPER_IGNORE: ignore: 'b\\\\' is not a gitignore pattern",
        "environment: SITEMAPPER_LASTMOD: lastmod[1]: must be one of auto, page, published, front_matter, git, ledger, mtime, not 'mtimes'",
        "environment: SITEMAPPER_STRICT: strict: must be true or false, not 'ja'",
        "environment: SITEMAPPER_SITEMAP_MAX_URLS: sitemap.max_urls: must be a valid integer, not 'ten'",
    ]
