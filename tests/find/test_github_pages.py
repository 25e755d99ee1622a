"""The base URL of GitHub Pages, which no other place names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support import Run, locs, write_site
from support.heads import canonical

DEPLOY = "uses: actions/deploy-pages@v4"
PEACEIRIS = "uses: peaceiris/actions-gh-pages@v4"
JAMES = "uses: JamesIves/github-pages-deploy-action@v4"
TEA = "https://ann.github.io/tea/"
ORIGIN = "https://github.com/Ann/tea.git"
WORKFLOW = "on: push\njobs:\n  pages:\n    runs-on: ubuntu-latest\n    steps:\n"


def with_input(uses: str, name: str, value: str) -> str:
    return f"{uses}\n        with:\n          {name}: {value}"


def project(root: Path, *steps: str, origin: str = ORIGIN, page: str = "<p>", **files: str) -> None:
    """A repository with a built site in public/ and a workflow with some steps."""
    write_site(root, {"public/index.html": page, **files})
    if steps:
        listed = "".join(f"      - {step}\n" for step in steps)
        write_site(root, {".github/workflows/site.yml": WORKFLOW + listed})
    subprocess.run(["git", "init", "-q", "-b", "main", root], check=True)
    if origin:
        subprocess.run(["git", "-C", root, "remote", "add", "origin", origin], check=True)


def base_url(run: Run, *flags: str) -> str:
    """The base URL that a build of public/ finds, "" if it finds none."""
    code = run("build", "public", "--dry-run", *flags)
    if code == 2:
        assert "no base URL" in run.err
        return ""
    assert code == 0, run.err
    [line] = [line for line in run.out.splitlines() if line.startswith("  base_url ")]
    url, _, origin = line.removeprefix("  base_url ").partition(" ")
    assert origin == "(GitHub Pages; with a domain of your own, set base_url)"
    return url


@pytest.fixture(autouse=True)
def no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([DEPLOY], TEA),
        ([with_input("uses: actions/upload-pages-artifact@v3", "path", "./public"), DEPLOY], TEA),
        ([with_input("uses: actions/upload-pages-artifact@v3", "path", "."), DEPLOY], ""),
        ([with_input(PEACEIRIS, "publish_dir", "./public")], TEA),
        ([with_input(PEACEIRIS, "external_repository", "Bob/bob.github.io")], "https://bob.github.io/"),
        ([with_input(PEACEIRIS, "cname", "tea.dev")], "https://tea.dev/"),
        ([with_input(PEACEIRIS, "cname", "${{ vars.HOST }}")], ""),
        ([with_input(PEACEIRIS, "destination_dir", "docs")], ""),
        ([with_input(JAMES, "folder", "public")], TEA),
        ([with_input(JAMES, "repository-name", "Bob/cup")], "https://bob.github.io/cup/"),
        ([with_input(JAMES, "target-folder", "docs")], ""),
        ([DEPLOY, with_input(PEACEIRIS, "publish_dir", "public")], ""),
        (["run: mkdocs gh-deploy"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_the_step_that_deploys(tmp_path: Path, run: Run, steps: list[str], expected: str) -> None:
    project(tmp_path, *steps)
    assert base_url(run) == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("git@github.com:Ann/tea.git", TEA),
        ("ssh://git@github.com/Ann/tea", TEA),
        ("https://x:token@github.com/Ann/Ann.GitHub.io/", "https://ann.github.io/"),
        ("https://gitlab.com/Ann/tea.git", ""),
        ("", ""),
    ],
)
def test_the_repository_of_origin(tmp_path: Path, run: Run, origin: str, expected: str) -> None:
    project(tmp_path, DEPLOY, origin=origin)
    assert base_url(run) == expected


def test_the_repository_of_a_fork_is_that_of_its_workflow(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, DEPLOY)
    upstream = "https://github.com/bob/tea"
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "upstream", upstream], check=True)
    assert base_url(run) == ""
    monkeypatch.setenv("GITHUB_REPOSITORY", "Ann/tea")
    assert base_url(run) == ""
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    assert base_url(run) == TEA
    monkeypatch.setenv("GITHUB_REPOSITORY", "carl/tea")
    assert base_url(run) == ""


@pytest.mark.parametrize(
    "files",
    [{"netlify.toml": ""}, {"public/_redirects": "/a /b\n"}, {"CNAME": "a host"}, {".gitlab-ci.yml": "x:\npages:\n"}],
)  # fmt: skip
def test_files_of_another_host_or_domain(tmp_path: Path, run: Run, files: dict[str, str]) -> None:
    project(tmp_path, DEPLOY, **files)
    assert base_url(run) == ""


def test_links_from_the_root_show_a_domain(tmp_path: Path, run: Run) -> None:
    project(
        tmp_path,
        DEPLOY,
        page='<link href="/tea/a.css"><p>Tea<a href="/tea">x</a><a href="//b.dev/">',
    )
    assert base_url(run) == TEA
    write_site(tmp_path, {"public/b.html": '<script src="/assets/a.js"></script>'})
    assert run("build", "public") == 2
    said = ": the pages link /assets/…, not /tea/…: with a custom domain, set base_url; no "
    assert said in run.err


def test_the_branch_gh_pages(tmp_path: Path, run: Run) -> None:
    project(tmp_path, origin="")
    project(tmp_path / "public", origin="git@github.com:ann/tea.git")
    assert base_url(run) == ""
    write_site(tmp_path, {"public/.git/HEAD": "ref: refs/heads/gh-pages\n"})
    assert base_url(run) == TEA


@pytest.mark.parametrize(("origin", "code"), [("", 0), (ORIGIN, 0), ("git@github.com:bob/tea", 2)])
def test_canonicals_of_before_a_domain_was_added_are_the_pages_own(
    tmp_path: Path, run: Run, origin: str, code: int
) -> None:
    """GitHub Pages redirects them to the domain."""
    pages = {"index.html": TEA, "a/index.html": f"{TEA}a/", "b.html": f"{TEA}b"}
    files = {f"public/{path}": canonical(url) for path, url in pages.items()}
    project(tmp_path, DEPLOY, origin=origin, **files, **{"public/CNAME": "tea.dev"})
    assert run("build", "public") == code
    if code == 2:
        assert f"(public/CNAME), but the canonicals name {TEA}" in run.err
    else:
        urls = ["https://tea.dev/", "https://tea.dev/a/", "https://tea.dev/b"]
        assert locs(tmp_path / "public") == urls


def test_it_is_asked_last_and_written_down_by_init(tmp_path: Path, run: Run) -> None:
    project(tmp_path, DEPLOY)
    assert run("init", "public") == 0
    line = f'base_url = "{TEA}"  # from GitHub Pages; with a domain of your own, set base_url\n'
    assert line in (tmp_path / "sitemapper.toml").read_text()
    (tmp_path / "sitemapper.toml").unlink()
    write_site(tmp_path, {"public/index.html": canonical("https://tea.dev/")})
    assert run("build", "public", "--dry-run") == 0
    assert "base_url https://tea.dev/ (1 of 1 canonicals" in run.out
