"""The plain story, to the letter: what people do who have not read the documentation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, MTIME, POSIX, Run, Site, lastmods, locs, paths, write_site
from support.git import Repo

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLE = Path(__file__).parents[1] / "sitemapper.toml.example"


def test_a_copy_of_the_example_gives_what_no_file_gives(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": "a", "blog/a.html": "b", "404.html": "c"})
    assert run("build", "--base-url", BASE) == 0
    without_file = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
    (root / "sitemap.xml").unlink()
    (root / "robots.txt").unlink()
    copy = tmp_path / "sitemapper.toml"
    copy.write_text(EXAMPLE.read_text())
    assert run("build") == 2
    assert "no base URL: no setting, CNAME, " in run.err
    assert not (root / "sitemap.xml").exists()
    copy.write_text(EXAMPLE.read_text().replace('#base_url = "https://example.com/"', f'base_url = "{BASE}"'))  # fmt: skip
    assert run("build") == 0
    assert {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()} == without_file  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public", "sitemapper.toml"]  # fmt: skip


def test_after_init_a_build_needs_no_argument(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"index.html": "a", "blog/a.html": "b"})
    url = "https://a.test/"
    assert run("build", root, "--base-url", url) == 0
    assert run("init") == 0
    assert f'base_url = "{url}"  # from ' in (tmp_path / "sitemapper.toml").read_text()
    assert run("build") == 0
    assert locs(root) == [url, f"{url}blog/a.html"]


def block_of(page: str, start: str) -> str:
    """The first code block of a page that begins with `start`, without its first line."""
    blocks = re.findall(r"(?ms)^```(\w.*?)^```$", (DOCS / page).read_text())
    found = next(block for block in blocks if block.startswith(start))
    return found.partition("\n")[2]


# Each block with the command that runs it, "" for the block itself.
STEPS = [
    ("getting-started.md", 'make title="Makefile"', "make sitemap"),
    ("generators.md", "sh\nhugo &&", ""),
]


@POSIX
@pytest.mark.parametrize(("page", "start", "command"), STEPS, ids=[" ".join(s) for s in STEPS])
def test_the_step_of_the_docs_builds_the_sitemap(
    site: Site, tmp_path: Path, page: str, start: str, command: str
) -> None:
    program = command.partition(" ")[0]
    if program and not shutil.which(program):
        pytest.skip(f"there is no {program}")
    root = site({"index.html": "a"})
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\nlastmod = "mtime"\n')  # fmt: skip
    block = block_of(page, start)
    title = re.search(r'title="(.+)"', start)
    if title:
        (tmp_path / title[1]).write_text(block)
    stand_in = tmp_path / "bin/hugo"
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\necho '<title>b</title>' > public/b.html\n")
    stand_in.chmod(0o755)
    folders = [str(stand_in.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    environment["PATH"] = os.pathsep.join(folders)
    words = ["sh", "-ec", command or block]
    said = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    built = {"", "b.html"} if "hugo" in block or not command else {""}
    assert set(paths(root)) == built


def test_the_schema_allows_one_value_without_a_list(run: Run) -> None:
    assert run("schema") == 0
    shape = json.loads(run.out)
    rule = shape["$defs"]["RuleConfig"]["properties"]["match"]
    for key in (shape["properties"]["ignore"], shape["properties"]["include"], rule):
        assert [choice["type"] for choice in key["anyOf"]] == ["string", "array"]


def test_two_files_with_settings_are_a_warning(site: Site, run: Run, tmp_path: Path) -> None:
    site({"index.html": "a"})
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = "public"\n')
    (tmp_path / "pyproject.toml").write_text('[tool.sitemapper]\nbase_url = "https://b.example"\n')
    assert run("build", "--no-lastmod") == 0
    assert (
        "warning: sitemapper.toml and [tool.sitemapper] in pyproject.toml both have settings: "
        "pyproject.toml is not read\n"
    ) in run.err
    (tmp_path / "pyproject.toml").write_text("[tool.black]\n")
    assert run("build", "--no-lastmod", "--strict") == 0


@POSIX
def test_a_folder_written_as_on_windows_is_understood(site: Site, run: Run, tmp_path: Path) -> None:
    root = site({"index.html": "a"})
    assert run("build", ".\\public", "--base-url", BASE, "--no-lastmod") == 0
    (root / "sitemap.xml").unlink()
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = ".\\\\public"\n')
    assert run("build", "--no-lastmod") == 0
    assert paths(root) == [""]
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\nsite = ".\\build"\n')
    assert run("build", "--no-lastmod") == 2
    assert "help: separate folders with / and not with \\, as in `site/public`\n" in run.err


def test_a_folder_with_a_space_without_quotes_is_explained(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my site").mkdir()
    monkeypatch.setattr("sys.argv", ["sitemapper", "build", "my", "site"])
    assert run("build", "my", "site") == 2
    assert "put a name with spaces in quotes, or see sitemapper build --help" in run.err


def test_a_freshly_built_site_has_no_dates_and_two_remedies(site: Site, run: Run) -> None:
    root = site({f"{n}.html": f"<p>{n}" for n in range(9)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    assert run("build", root, "--base-url", BASE) == 0
    assert set(lastmods(root)) == {None}
    for remedy in (
        "--ledger sitemapper.ledger records changes from now on",
        "in a git repository, commits date pages",
    ):
        assert remedy in run.err
    # It would lead to the warning below.
    assert "--lastmod mtime" not in run.err
    assert run("build", root, "--base-url", BASE, "--lastmod", "mtime") == 0
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00"] * 9
    assert run.err.count("warning: ") == 1
    assert "9 of 9 pages share the time of a copy or a build" in run.err


def test_lists_of_pages_are_counted_apart(run: Run, tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    sources = {f"content/blog/{n}.md": f"---\ntitle: Post {n}\n---\ntext {n}\n" for n in range(5)}
    repo.commit(1, {"hugo.toml": f'baseURL = "{BASE}"\n', ".gitignore": "public\n", **sources})
    posts = {
        f"public/blog/{n}/index.html": f"<title>Post {n}</title><main><h1>Post {n}</h1>text {n}"
        for n in range(5)
    }
    lists = dict.fromkeys(("public/index.html", "public/blog/index.html"), "<title>List</title>")
    write_site(tmp_path, posts | lists)
    assert run("build", "--base-url", BASE) == 0
    note = "note: 2 home or list pages have no date, as is usual\n"
    assert note not in run.err
    assert run("build", "--base-url", BASE, "-v") == 0
    assert note in run.err
    assert "[[git.map]]" not in run.err
    assert run("explain", "blog/", "--base-url", BASE) == 0
    assert "lastmod     none  (a home page or a list of pages, which shows" in run.out
