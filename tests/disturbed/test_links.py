"""Links in a repository that lead out of it: nothing outside is read, shown, published or changed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support import BASE, POSIX, Run, write_site
from support.git import Repo
from support.sitemaps import locs

from sitemapper import files
from sitemapper.find.table import GENERATORS
from sitemapper.hosts.table import TABLE
from sitemapper.protocol import MARK

pytestmark = [POSIX, pytest.mark.slow]

WORD = "swordfish"  # in everything outside
THEIRS = f"https://{WORD}.example/"
PAGE = f'<title>{WORD}</title><link rel="canonical" href="{BASE}{WORD}.html"><p>{WORD}'
SITEMAP = locs(f"{BASE}{WORD}.html")
OURS = SITEMAP.replace("?>", "?>\n" + MARK.decode(), 1)
OUTPUTS = ("public", "site", "_site", "dist", "build", "out", "book", "html", "output")
# What a project may contain, and what stands outside in its place: a good file of its kind.
FILES = {
    "public/index.html": PAGE,
    "public/sub": {"index.html": PAGE, "robots.txt": f"Sitemap: {THEIRS}"},
    "public/CNAME": f"{WORD}.example\n",
    "public/robots.txt": f"User-agent: *\nDisallow: /{WORD}\nSitemap: {THEIRS}sitemap.xml\n",
    "public/sitemap.xml": SITEMAP,
    "public/sitemap-1.xml": OURS,
    "public/sitemap.txt": f"{BASE}{WORD}.html\n",
    "public/sitemap-0.xml": SITEMAP,
    "public/feed.xml": f"<rss><channel><link>{THEIRS}</link></channel></rss>",
    "public/_redirects": f"/{WORD} /a.html 301!\n/a.html /{WORD} 301!\n",
    "public/_headers": f"/a.html\n  X-Robots-Tag: noindex\n  Link: <{THEIRS}>; rel=canonical\n",
    "content": {"a.md": f"---\ntitle: {WORD}\ndate: 2001-01-01\n---\n"},
    "content/a.md": f"---\ntitle: {WORD}\nlastmod: 2001-01-01\n---\n",
    "package.json": f'{{"homepage": "{THEIRS}", "dependencies": {{"hexo": "1"}}}}',
    "base.yml": f"site_url: {THEIRS}\nsite_dir: {WORD}\n",
    "netlify.toml": f'[[redirects]]\nfrom = "/a.html"\nto = "/{WORD}"\nforce = true\n',
    "firebase.json": f'{{"hosting": {{"public": "{WORD}"}}}}',
    "vercel.json": f'{{"redirects": [{{"source": "/a.html", "destination": "/{WORD}"}}]}}',
    "wrangler.toml": f'name = "{WORD}"\n[assets]\ndirectory = "public"\n',
    "wrangler.jsonc": f'{{"name": "{WORD}", "assets": {{"directory": "public"}}}}',
}  # fmt: skip
SETTINGS = {
    ".toml": f'base_url = "{THEIRS}"\nbaseURL = "{THEIRS}"\n[project]\nsite_url = "{THEIRS}"\n',
    ".json": f'{{"baseURL": "{THEIRS}", "url": "{THEIRS}"}}',
    ".py": f'SITEURL = "{THEIRS}"\nhtml_baseurl = "{THEIRS}"\nextensions = []\n',
    ".yml": f"site_url: {THEIRS}\nurl: {THEIRS}\nbaseURL: {THEIRS}\n",
    ".yaml": f"site_url: {THEIRS}\nurl: {THEIRS}\nbaseURL: {THEIRS}\n",
}
CODE = f'const url = "{THEIRS}"\nexport default {{ url, site: "{THEIRS}", siteUrl: "{THEIRS}" }}\n'
# Files that a person names, also if they are links. Only what they mean may be shown.
NAMED = {
    "sitemapper.toml": f"{WORD} {{\n",
    "pyproject.toml": f"[tool.sitemapper]\n{WORD} {{\n",
    "sitemapper.ledger": f"{WORD}\n",
}
# A link in the place of an output is read, to see whether it is ours, and never replaced.
MAY_BE_READ = ("public/sitemap.xml", "public/sitemap.txt", *NAMED)


class Traps:
    """The opened paths and listed folders that are in a folder."""

    def __init__(self) -> None:
        self.folder = ""
        self.seen: list[str] = []

    def hook(self, event: str, args: Sequence[Any]) -> None:
        if not self.folder or event not in ("open", "os.listdir", "os.scandir") or not args:
            return
        place = args[0]
        if isinstance(place, (str, bytes)):
            folder, self.folder = self.folder, ""  # what this asks is not heard
            path = os.path.realpath(os.fsdecode(place))
            is_there = path.startswith(folder) and os.path.exists(path)
            self.folder = folder
            if is_there:
                self.seen.append(f"{event} {path}")


@pytest.fixture(scope="module")
def traps() -> Traps:
    traps = Traps()
    sys.addaudithook(traps.hook)  # which stays until the process ends
    return traps


def project(root: Path) -> None:
    """A repository with a site that was built before, and with the files of several tools."""
    write_site(root, {f"{folder}/index.html": "<title>home</title>" for folder in OUTPUTS})
    pages = {f"public/{name}.html": f"<title>{name}</title><p>{name}" for name in "abc"}
    write_site(root, pages | {"content/b.md": "---\ntitle: b\n---\n"})
    write_site(root, {"mkdocs.yml": "INHERIT: base.yml\nsite_name: a\n"})


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".git" not in path.parts
    }


SETTINGS_OF = {file.partition(":")[0].replace("*", "a") for one in GENERATORS for file in one.files.split()}  # fmt: skip
LINKS: dict[str, str | dict[str, str]] = {
    **{name: SETTINGS.get(os.path.splitext(name)[1], CODE) for name in sorted(SETTINGS_OF)},
    **FILES,
    **NAMED,
}
HOST_FILES = {name for host in TABLE for name in host.files}
assert HOST_FILES - {"wrangler.json"} <= LINKS.keys()
SITE = ["public", "--base-url", BASE]
MORE = ["--ledger", "sitemapper.ledger", "--max-drop", "100", "--config", "sitemap.text = true"]
COMMANDS = (
    ["build", "--dry-run"],
    ["build", *SITE, *MORE],
    ["build", *SITE, "--output", "elsewhere", "--replace", "--max-drop", "100", "--excluded", "-"],
    ["check", *SITE, *MORE],
    ["explain", "a.html", "--site", *SITE],
    ["validate", "public"],
    ["init"],
)


def try_link(name: str, folder: Path, run: Run, traps: Traps) -> None:
    """Fails if a run reads, shows, publishes or changes what a link in a file's place leads to."""
    root, outside = Path.cwd(), folder / "outside"
    project(root)
    Repo(root).commit(1, {})
    content = LINKS[name]
    write_site(outside, content if isinstance(content, dict) else {"file": content})
    target = outside if isinstance(content, dict) else outside / "file"
    before = bytes_below(outside)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    is_relative = len(name) % 2
    path.symlink_to(os.path.relpath(target, path.parent) if is_relative else target)
    # The settings of generators are read when a site is found.
    for command in (COMMANDS[0], COMMANDS[-1]) if name in SETTINGS_OF else COMMANDS:
        traps.seen, traps.folder = [], str(outside)
        try:
            run(*command)
        finally:
            traps.folder = ""
        assert traps.seen == [] or name in MAY_BE_READ, command
        assert WORD not in run.out + run.err, command
    assert [file for file, data in bytes_below(root).items() if WORD.encode() in data] == []
    assert bytes_below(outside) == before


@pytest.fixture(autouse=True)
def _in_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")


@pytest.mark.parametrize("name", LINKS)
def test_no_link_that_leaves_the_repository_is_followed(
    name: str, tmp_path: Path, run: Run, traps: Traps
) -> None:
    try_link(name, tmp_path, run, traps)


@pytest.mark.parametrize("name", ["public/robots.txt", "public/_redirects", "package.json"])
def test_the_trial_sees_what_is_read_where_nothing_guards_it(
    name: str, tmp_path: Path, run: Run, traps: Traps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial itself."""
    monkeypatch.setattr(files, "is_inside", lambda path, folder: True)
    with pytest.raises(AssertionError):
        try_link(name, tmp_path, run, traps)
