"""Old versions of a documentation that are listed beside the newest."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.heads import canonical


def versions(*names: str, page: str = "<p>Tea <a href='a.html'>x</a>") -> dict[str, str]:
    return {
        f"public/{name}/{path}": page
        for name in names
        for path in ("index.html", "a.html", "b/c.html")
    }


def note(run: Run, *flags: str) -> str:
    """The note of `check`, "" if there is none. A build has none."""
    run("build", "public", "--base-url", BASE, *flags, "-v")
    assert "an old one" not in run.err
    assert run("check", "public", "--base-url", BASE, *flags) == 0, run.err
    lines = [
        line
        for line in run.err.splitlines()
        if "search engines may show" in line or "to list only the newest" in line
    ]
    return "\n".join(lines)


def test_three_versions(tmp_path: Path, run: Run) -> None:
    write_site(tmp_path, versions("1.0", "2.0", "latest") | {"public/index.html": "<p>Home"})
    said = (
        "note: 3 versions of the site are listed (1.0/, 2.0/, latest/), so search engines may show an old one",
        '  help: to list only the newest, set `ignore = ["1.0/", "2.0/"]`, and run once with `--max-drop 100`',
    )
    assert note(run) == "\n".join(said)
    assert run("init", "public", "--base-url", BASE) == 0
    written = (tmp_path / "sitemapper.toml").read_text()
    assert (
        "\n# 3 versions of the site are listed (1.0/, 2.0/, latest/), so search engines" in written
    )
    assert (
        '\n# to list only the newest, set `ignore = ["1.0/", "2.0/"]`, and run once with' in written
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["docs/v1.9", "docs/v1.10"], "(docs/v1.9/, docs/v1.10/)"),
        (["1", "2", "stable"], "(1/, 2/, stable/)"),
        (["dev", "0.9", "1.0"], "(dev/, 0.9/, 1.0/)"),
        (["2023", "2024"], ""),  # the years of a blog
        (["1.0"], ""),
        (["de", "en"], ""),
    ],
)
def test_the_names_of_versions(tmp_path: Path, run: Run, names: list[str], said: str) -> None:
    write_site(tmp_path, versions(*names))
    assert said in note(run) if said else note(run) == ""


@pytest.mark.parametrize(
    "files",
    [
        versions("1.0", page=canonical(f"{BASE}latest/")) | versions("latest"),
        {"public/1.0/x.html": "<p>x", "public/1.0/y.html": "<p>"} | versions("latest"),
        versions("1.0", "latest") | {"public/robots.txt": "User-agent: *\nDisallow: /1.0/\n"},
        versions("1.0", "latest") | {"sitemapper.toml": 'ignore = ["!1.0/"]\n'},
        versions("1.0", "latest") | {"sitemapper.toml": 'ignore = ["1.*/"]\n'},
        versions("1.0", "latest") | {"sitemapper.toml": '[[rules]]\nmatch = "1.0/"\npriority = 0.1\n'},
    ],
    ids=["canonicals", "other pages", "robots.txt", "kept", "ignored", "rule"],
)  # fmt: skip
def test_nothing_is_said_where_one_is_listed_or_the_user_named_one(
    tmp_path: Path, run: Run, files: dict[str, str]
) -> None:
    write_site(tmp_path, files)
    assert note(run, *(["--config", "sitemapper.toml"] if "sitemapper.toml" in files else [])) == ""
