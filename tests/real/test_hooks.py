"""Where the build is a step of something else: pre-commit in a git repository, and make."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from support import BASE, Site, locs, write_site

from real.tools import BUILD, ROOT, VENV, mtimes, run

pytestmark = pytest.mark.real

PACKAGE = (
    ".pre-commit-hooks.yaml",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "scripts",
    "sitemapper",
)
HOOK = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: sitemapper-build
        args: [public, --base-url, {base}]
"""
MAKEFILE = """\
public/sitemap.xml: $(wildcard public/*.html)
\t{command}
"""


@pytest.fixture(autouse=True)
def _git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools know nothing of this machine, nor of a hook or a make that runs the tests."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "MAKE", "MFLAGS"))]:
        monkeypatch.delenv(name)
    config = "[user]\n\tname = Test\n\temail = test@example.com\n"
    write_site(tmp_path, {"gitconfig": config})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))


def commit(repo: Path, *, code: int = 0, add: bool = True) -> None:
    """Commits everything, or what was added before."""
    if add:
        run("git", "add", "--all", cwd=repo)
    run("git", "commit", "--quiet", "--allow-empty", "--message", "Change", cwd=repo, code=code)


def released(repo: Path) -> str:
    """Makes a repository of the package as it is in the working tree; returns its commit."""
    names = run(
        "git", "ls-files", "-z", "-co", "--exclude-standard", "--", *PACKAGE, cwd=ROOT
    ).split("\0")
    write_site(
        repo, {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}
    )
    run("git", "init", "--quiet", repo)
    commit(repo)
    return run("git", "rev-parse", "HEAD", cwd=repo).strip()


def project(tmp_path: Path, *pages: str, hooks: str = HOOK) -> Path:
    """A repository with these pages and hooks of the package, in which nothing is committed."""
    tool, repo = tmp_path / "tool", tmp_path / "repo"
    files = {f"public/{name}.html": f"<title>{name}</title>" for name in pages}
    hooks = hooks.format(repo=tool, rev=released(tool), base=BASE)
    write_site(repo, {".pre-commit-config.yaml": hooks, **files})
    run("git", "init", "--quiet", repo)
    return repo


def test_pre_commit_stops_a_commit_that_lacks_the_new_sitemap(tmp_path: Path) -> None:
    repo = project(tmp_path, "index")
    run(VENV / "pre-commit", "install", cwd=repo)
    commit(repo, code=1)  # the hook writes the first sitemap
    commit(repo, code=1, add=False)  # git does not track it yet
    commit(repo)
    write_site(repo, {"public/new.html": "<title>New</title>"})
    commit(repo, code=1)
    commit(repo)
    assert locs(repo / "public") == [BASE, BASE + "new.html"]
    run("git", "rm", "--quiet", "public/sitemap.xml", cwd=repo)
    commit(repo, code=1, add=False)  # the hook writes it again
    commit(repo, code=1, add=False)
    commit(repo)
    assert run("git", "status", "--porcelain", cwd=repo) == ""


def test_pre_commit_checks_what_is_published_and_validates_what_changed(tmp_path: Path) -> None:
    check = HOOK.replace("sitemapper-build", "sitemapper-check")
    repo = project(tmp_path, "index", hooks=check + "      - id: sitemapper-validate\n")
    run(*BUILD, "public", "--base-url", BASE, cwd=repo)
    commit(repo)
    run(VENV / "pre-commit", "install", cwd=repo)
    commit(repo)
    run("git", "rm", "--quiet", "--cached", "public/sitemap.xml", cwd=repo)
    commit(repo, code=1, add=False)
    write_site(repo, {"public/new.html": "<title>New</title>", "other/sitemap.xml": "<html>"})
    commit(repo, code=1)
    told = run(VENV / "pre-commit", "run", cwd=repo, code=1)
    assert f"+ {BASE}new.html" in told
    assert "other/sitemap.xml:1: SM103 error: is an HTML page" in told
    run(*BUILD, "public", "--base-url", BASE, cwd=repo)
    (repo / "other/sitemap.xml").unlink()
    commit(repo)
    assert run("git", "status", "--porcelain", cwd=repo) == ""


def test_pre_commit_run_changes_nothing_in_clones(tmp_path: Path) -> None:
    """A checkout gives every file a new time. The published dates stay, in every clone."""
    repo = project(tmp_path, "index", "a", "b")
    run_hook(repo, code=1)  # it writes the first sitemap
    run_hook(repo)
    commit(repo)
    published = (repo / "public/sitemap.xml").read_bytes()
    assert published.count(b"<lastmod>") == 3

    first = clone(repo, tmp_path / "first")
    second = clone(repo, tmp_path / "second")
    for place in (first, second, repo):
        run_hook(place)
        assert (place / "public/sitemap.xml").read_bytes() == published
        assert run("git", "status", "--porcelain", cwd=place) == ""

    write_site(second, {"public/new.html": "<title>New</title>"})
    run_hook(second, code=1)
    run_hook(second)
    commit(second)
    run("git", "pull", "--quiet", "--ff-only", second, "HEAD", cwd=first)
    run_hook(first)
    assert run("git", "status", "--porcelain", cwd=first) == ""
    assert locs(first / "public") == [BASE, BASE + "a.html", BASE + "b.html", BASE + "new.html"]


def run_hook(repo: Path, code: int = 0) -> None:
    """Adds everything, and runs the hooks as CI does."""
    run("git", "add", "--all", cwd=repo)
    run(VENV / "pre-commit", "run", "--all-files", cwd=repo, code=code)


def clone(repo: Path, place: Path) -> Path:
    """A clone of a repository, in which all files are new."""
    run("git", "clone", "--quiet", repo, place)
    return place


def test_make_runs_it_when_a_page_is_newer_and_a_needless_run_writes_nothing(
    site: Site, tmp_path: Path
) -> None:
    public = site({"index.html": "<title>Home</title>"})
    command = shlex.join([*BUILD, "public", "--base-url", BASE])
    (tmp_path / "Makefile").write_text(MAKEFILE.format(command=command))
    run("make")
    written = mtimes(public)
    run("make", "--question")
    run("make", "--always-make")
    assert mtimes(public) == written
    (public / "new.html").write_text("<title>New</title>")
    run("make")
    assert locs(public) == [BASE, BASE + "new.html"]
    run("make", "--question")
