"""SECURITY.md, sentence by sentence: the docstring of each test is the sentence that it holds."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support import BASE, POSIX, Run, write_site
from support.git import Repo
from support.sitemaps import LOC, index, urlset
from support.web import Web, dripping, web

from sitemapper.net import Client

pytestmark = POSIX
ROOT = Path(__file__).parents[1]

# Runs commands and reports what Python heard of files, programs and sockets.
SPY = """
import json, os, sys
heard = []
wanted = ("open", "os.", "subprocess.", "socket.", "shutil.")
def hook(event, args):
    if event.startswith(wanted):
        heard.append((event, [os.fsdecode(a) if isinstance(a, bytes) else str(a) for a in args]))
sys.addaudithook(hook)
from sitemapper.__main__ import main
codes = [main(command) for command in json.loads(sys.argv[1])]
heard = list(heard)
print("HEARD" + json.dumps([codes, heard]))
"""


def heard(folder: Path, *commands: list[str]) -> tuple[list[int], list[tuple[str, list[str]]]]:
    """The exit codes of commands, and the events of the interpreter."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", SPY, json.dumps(commands)], cwd=folder, env=environment, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    codes, events = json.loads(done.stdout.rpartition("HEARD")[2])
    return codes, events


def opened(folder: Path, events: list[tuple[str, list[str]]], *, written: bool = False) -> set[str]:
    """The files below a folder that were opened, or only those that were opened for writing."""
    found = set()
    for event, args in events:
        if (
            event == "open"
            and not args[0].isdigit()
            and (not written or int(args[2]) & (os.O_WRONLY | os.O_RDWR))
        ):
            path = os.path.realpath(folder / args[0])
            if path.startswith(str(folder)) and not os.path.isdir(path):
                found.add(os.path.relpath(path, folder))
    return found


SITE = ["public", "--base-url", BASE]
# Links in the site, from its folder, which lead out of it, into a circle or to a device.
LINKS = {
    "out.html": "../secret.html", "sitemap-1.xml": "../secret.xml", "private": "../../private", "private.htm": "../../private",
    "up": "..", "hop": "private", "hop.html": "out.html", "round": "hop/../secret.html", "through.html": "up/../private/secret.html",
    "root": "/", "zero.html": "/dev/zero", "tty.html": "/dev/tty", "loop.html": "loop.html", "ping": "pong", "pong": "ping",
    "deep.html": "ping/x.html", "sub/index.htm": "../../../private/index.html", "sub/above": "..", "fd.html": "/proc/self/fd/0",
    "mem.html": "/proc/self/mem", "long.html": "x" * 4000, "pipe-in.html": "pipe.html",
}  # fmt: skip
OUTSIDE = ("private/secret.html", "up/private/secret.html", "../secret.html", "pipe.html", "socket.html")  # fmt: skip
COMMANDS = (
    ["build", *SITE, "--ledger", "ledger", "--excluded", "left.tsv", "--changes", "news.tsv"],
    ["check", *SITE, "--ledger", "ledger"],
    ["explain", "a.html", "--site", *SITE],
    *(["explain", path, "--site", *SITE] for path in (*LINKS, *OUTSIDE)),
    *(["explain", BASE + path, "--site", *SITE] for path in OUTSIDE),
    ["validate", "public"],
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


AWAY = "http://127.0.0.1:1/"  # where nothing is to be asked
SITEMAPS = ("other.xml", "third.xml")


def make_project(scratch: Path) -> Path:
    """A project with a site that holds links and special files, and with files that are nobody's business."""
    folder = scratch / "project"
    write_site(
        folder,
        {
            "public/a.html": f'<head><link rel=canonical href="{BASE}a.html"></head><body>',
            "public/b.html": '<link rel=canonical href="/private/secret"><link rel=alternate hreflang=de href="/out.html">',
            "public/c.html": f'<meta http-equiv="refresh" content="0; url={AWAY}">',
            "public/sub/b.html": f'<link rel=canonical href="/%2e%2e/secret.html"><link rel=alternate hreflang=de href="{AWAY}">',
            "public/robots.txt": f"Sitemap: {BASE}../secret.xml\nSitemap: {AWAY}sitemap.xml\n",
            "public/_redirects": "/x ../secret.html 200\n/y /private/secret.html 200\n",
            "public/style.css": "",
            "public/other.xml": f'<!DOCTYPE x SYSTEM "{AWAY}x"><urlset/>',
            "public/third.xml": index(f"<loc>{AWAY}s.xml</loc>"),
            "sitemapper.toml": 'hreflang = true\n[[urls]]\nloc = "/../secret.html"\n'.replace("/../", f"{BASE}%2e%2e/"),
            "secret.html": '<meta name="robots" content="noindex">',
            "secret.xml": "secret",
            "../private/secret.html": "secret",
            "../private/index.html": "secret",
        },
    )  # fmt: skip
    for name, target in LINKS.items():
        (folder / "public" / name).symlink_to(target)
    os.mkfifo(folder / "public/pipe.html")
    with socket.socket(socket.AF_UNIX) as listening:
        old = os.getcwd()
        os.chdir(folder / "public")  # the path of a socket is short
        listening.bind("socket.html")
        os.chdir(old)
    return folder


class Watched(NamedTuple):
    """A project in which all commands have run, and what Python told of them."""

    project: Path
    before: set[str]
    codes: list[int]
    events: list[tuple[str, list[str]]]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    folder = make_project(tmp_path_factory.mktemp("watched"))
    before = files(folder)
    return Watched(folder, before, *heard(folder, *COMMANDS))


READ = {"public/robots.txt", "sitemapper.toml"}
READ |= {f"public/{name}" for name in ("a.html", "b.html", "c.html", "sub/b.html", *SITEMAPS)}
# If they exist.
FOR_HOSTS = ("_redirects", "_headers", "CNAME")
READ |= {f"public/{name}" for name in (*FOR_HOSTS, "index.html")}
# The sitemaps that may show the site's own address.
READ |= {f"public/{name}" for name in ()}
WRITTEN = {"public/sitemap.xml", "public/robots.txt", "ledger", "left.tsv", "news.tsv"}


def temporary(name: str) -> bool:
    """Whether a file becomes another one."""
    return name.endswith(".tmp")


def test_reads(watched: Watched) -> None:
    """It reads the folder of the site, the configuration, the project files of generators (as text), the files that the configuration names, and its own output and ledger."""
    project, _, codes, events = watched
    assert codes[0] == 0
    assert {name for name in opened(project, events) if not temporary(name)} <= READ | WRITTEN


def test_links(watched: Watched, tmp_path: Path, run: Run) -> None:
    """It does not follow symbolic links that leave the site or, for project files, the repository."""
    project, _, _, events = watched
    paths = [args[0] for event, args in events if event == "open" and not args[0].isdigit()]
    assert not [path for path in paths if re.search(r"secret\.|/private", os.path.realpath(path))]
    looked = [args[0] for event, args in events if event in ("os.listdir", "os.scandir")]
    folders = {os.path.realpath(project / path) for path in looked if not path.isdigit()}
    assert str(project / "public") in folders
    assert not [path for path in folders if path == "/" or path.endswith("private")]

    repository = tmp_path / "repository"
    Repo(repository).commit(1, {"site/index.html": "<p>"})
    (tmp_path / "outer.yml").write_text("site_url: https://outer.example/\n")
    (repository / "mkdocs.yml").symlink_to("../outer.yml")
    assert run("build", repository / "site") == 2  # no base URL
    assert "outer.example" not in run.out + run.err


def test_special_files(watched: Watched) -> None:
    """It does not open named pipes, sockets or devices."""
    project, _, _, events = watched
    special = {str(project / "public" / name) for name in ("pipe.html", "socket.html")}
    special |= {"/dev/zero", "/dev/tty", "/proc/self/mem"}
    heard = [project / args[0] for event, args in events if event == "open"]
    assert special.isdisjoint({*map(str, heard), *map(os.path.realpath, heard)})


def files(folder: Path) -> set[str]:
    # `rglob` of some versions of Python 3.11 raises an error for a link with a long target.
    paths = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder) for path in paths}


def test_writes(watched: Watched) -> None:
    """It writes the sitemaps, robots.txt, the ledger and the IndexNow key. It also writes the lists that a flag asks for, from which `submit` removes what it sent."""
    project, before, _, events = watched
    assert files(project) - before == WRITTEN - {"public/robots.txt"}
    assert {
        name for name in opened(project, events, written=True) if not temporary(name)
    } <= WRITTEN
    assert (project / "secret.html").read_text().startswith("<meta")


def test_init(project: Path) -> None:
    """`sitemapper init` writes one new configuration file."""
    before = files(project)
    assert heard(project, ["init", "public"])[0] == [2]
    assert files(project) == before
    (project / "sitemapper.toml").unlink()
    _, events = heard(project, ["init", "public", "--base-url", BASE])
    assert files(project) == before
    assert {name for name in opened(project, events, written=True) if not temporary(name)} <= {
        "sitemapper.toml"
    }


def test_renames(watched: Watched) -> None:
    """Sitemaps, robots.txt and the ledger are written under temporary names and renamed when they are complete."""
    project, _, _, events = watched
    names = ("public/sitemap.xml", "public/robots.txt", "ledger")
    assert opened(project, events, written=True).isdisjoint(names)
    assert set(names) <= {
        os.path.relpath(args[1], project) for event, args in events if event == "os.rename"
    }


def test_sitemaps_of_others(tmp_path: Path, run: Run) -> None:
    """It replaces and removes no sitemap that it did not write, unless you pass `--replace`."""
    root = write_site(tmp_path / "public", {f"{n}.html": "" for n in range(5)})
    theirs = {
        "sitemap.txt": b"theirs",
        "sitemap-2.txt": b"theirs",
        "sitemap-3.txt.gz": b"theirs",
        "sitemap-9.xml": b"<a/>",
    }
    for before in ((), ("1.html", "2.html")):  # with and without sitemaps of ours beside them
        for name in before:
            (root / name).unlink()
        write_site(root, theirs)
        for text in ((), ("--config", "sitemap.text = true")):
            run(
                "build",
                root,
                "--base-url",
                BASE,
                "--config",
                "sitemap.max_urls = 2",
                *text,
                "--max-drop",
                "100",
            )
            assert {name: (root / name).read_bytes() for name in theirs} == theirs


def test_the_only_copy(tmp_path: Path, run: Run) -> None:
    """One exception is a sitemap of this host that git does not track in its repository, or that the generator of the project writes anew at each build, by its exact name. A symbolic link is never replaced."""
    away = urlset("<loc>https://elsewhere.example/index.html</loc>")
    here = urlset(f"<loc>{BASE}index.html</loc>")
    command = ("build", tmp_path / "site", "--base-url", BASE)
    sitemap = tmp_path / "site/sitemap.xml"
    write_site(tmp_path, {"site/index.html": "<p>", "site/sitemap.xml": here})
    assert run(*command) == 2  # git says nothing
    repo = Repo(tmp_path)
    repo.commit(1, {"site/sitemap.xml": here})
    assert run(*command) == 2
    repo.commit(2, {"site/sitemap.xml": away})
    repo("rm", "-q", "--cached", "site/sitemap.xml")
    assert run(*command) == 2
    sitemap.write_text(here)
    assert run(*command) == 0

    outside = tmp_path / "outside.xml"
    outside.write_text(here)
    sitemap.unlink()
    sitemap.symlink_to(outside)
    assert run(*command) == 2
    assert outside.read_text() == here


def test_network(watched: Watched) -> None:
    """It opens no network connection, with five exceptions: `submit`, `verify`, the earlier sitemap, the ledger of the live site, and the scheduler that `--scheduler` names. The earlier sitemap is requested if `previous` is `live` or a URL, and with `live` also a ledger in the output folder."""
    assert not [event for event, _ in watched.events if event.startswith("socket.")]


KEY = "0123456789abcdef"


def test_submit(tmp_path: Path, run: Run) -> None:
    """`submit` reads the key file below your `base_url`, and sends URLs to the endpoint of your configuration."""
    with web() as engine, web() as other:
        write_site(
            tmp_path / "public", {"a.html": f'<link rel=alternate hreflang=de href="{other.url}">'}
        )
        (tmp_path / "public/robots.txt").write_text(f"Sitemap: {other.url}sitemap.xml\n")
        (tmp_path / "sitemapper.toml").write_text(
            f'base_url = "{engine.url}"\nsite = "public"\nhreflang = true\n'
            f'[submit]\nkey = "{KEY}"\nendpoint = "{engine.url}indexnow"\n'
        )
        engine.pages = {f"/{KEY}.txt": KEY.encode()}
        assert run("build") == 0, run.err
        assert run("build", "--changes", "changes.tsv") == 0
        Path("changes.tsv").write_text(f"added\t{engine.url}a.html\n")
        run("submit", "--changes", "changes.tsv")
        assert {re.sub(r"\?.*", "", asked) for asked in engine.asked} <= {
            f"GET /{KEY}.txt",
            "POST /indexnow",
        }
        assert f"GET /{KEY}.txt" in engine.asked and "POST /indexnow" in engine.asked
        assert other.asked == []


def live(tmp_path: Path, url: str) -> None:
    write_site(tmp_path / "public", {"a.html": "<p>"})
    toml = f'base_url = "{url}"\nsite = "public"\nlastmod = ["ledger"]\nprevious = "live"\n[ledger]\npath = "public/a.ledger"\n'
    (tmp_path / "sitemapper.toml").write_text(toml)


def test_ledger(tmp_path: Path, run: Run) -> None:
    """The ledger is read from below `base_url`."""
    with web() as site:
        live(tmp_path, site.url)
        assert run("build") == 0, run.err
        assert site.asked == ["GET /a.ledger", "GET /sitemap.xml"]


def test_previous(tmp_path: Path, run: Run) -> None:
    """The earlier sitemap and its parts are read from one host."""
    with web() as site, web() as other:
        write_site(tmp_path / "public", {"a.html": "<p>"})
        away = other.url.replace("127.0.0.1", "localhost")
        flags = ("--base-url", site.url, "--previous", "live")
        for answer in (
            (302, {"Location": f"{away}sitemap.xml"}, b""),
            index(f"<loc>{away}sitemap-1.xml</loc>").encode(),
        ):
            site.pages["/sitemap.xml"] = answer
            assert run("build", tmp_path / "public", *flags) == 2
        assert other.asked == []


def test_redirects(tmp_path: Path, run: Run) -> None:
    """All of them use the proxies of the environment, check certificates, and follow no redirect to another host."""
    with web() as site, web() as other:
        live(tmp_path, site.url)
        site.pages["/a.ledger"] = (
            302,
            {"Location": other.url.replace("127.0.0.1", "localhost")},
            b"",
        )
        assert run("build") == 2
        assert other.asked == []


@pytest.fixture
def tricky(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Web, Web]]:
    """A host whose answers name another one in every way, and that other one."""
    monkeypatch.setenv("TOKEN", "s3cret")
    with web() as host, web() as other:
        entries = (f"<loc>{host.url}</loc>", f"<loc>{host.url}a</loc>", f"<loc>{other.url}b</loc>")
        link = f'<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="{other.url}"/>'
        html = f'<base href="{other.url}"><link rel="canonical" href="c"><meta http-equiv="refresh" content="0; url=d">'
        host.pages = {
            "/robots.txt": (301, {"Location": f"{other.url}robots.txt"}, b""),
            "/index.xml": index(
                f"<loc>{host.url}s.xml</loc>", f"<loc>{other.url}s.xml</loc>"
            ).encode(),
            "/s.xml": urlset(*(entry + link for entry in entries)).encode(),
            "/": (302, {"Location": other.url}, b""),
            "/a": (
                200,
                {"Content-Type": "text/html", "Link": f'<{other.url}>; rel="canonical"'},
                html.encode(),
            ),
        }
        yield host, other


def test_verify(tricky: tuple[Web, Web], run: Run) -> None:
    """`verify` asks one host, that of the sitemap or of `--at`, and no other one that an answer names."""
    host, other = tricky
    assert run("verify", f"{host.url}index.xml", "--rate", "0") == 1
    assert {"GET /s.xml", "GET /", "GET /a"} < set(host.asked)
    asked = len(host.asked)
    assert run("verify", "http://example.com/index.xml", "--at", host.url, "--rate", "0") in (0, 1)
    assert len(host.asked) > asked
    assert other.asked == []


def test_verify_header(tricky: tuple[Web, Web], run: Run) -> None:
    """It sends the values of `--header` to that host alone, and prints them nowhere."""
    host, other = tricky
    command = ("verify", f"{host.url}index.xml", "--rate", "0", "--header", "X=TOKEN", "-v")
    for format in ("text", "json", "github"):
        run(*command, "--format", format)
        assert "s3cret" not in run.out + run.err
    assert {headers["X"] for headers in host.headers} == {"s3cret"}
    assert other.headers == []


def test_verify_bounds() -> None:
    """The time and the size of each answer are bounded."""
    with web() as host:
        host.pages = {"/slow": dripping, "/large": (200, {}, b"x" * 100_000)}
        assert Client({}, timeout=0.2).get(f"{host.url}slow").failure
        assert len(Client({}).get(f"{host.url}large", 1_000).body) == 1_000


def programs(events: list[tuple[str, list[str]]]) -> list[str]:
    """The programs that were started, by the events that tell of them."""
    starts = ("subprocess.", "os.exec", "os.system", "os.posix_spawn")
    return [args[0] for event, args in events if event.startswith(starts)]


def test_git(watched: Watched, project: Path) -> None:
    """It runs one other program, `git`. It asks git for the remote of the repository around the site, for the files that it tracks, and for dates."""
    Repo(project)
    _, events = heard(project, [*COMMANDS[0], "--lastmod", "git"], [*COMMANDS[1], "--tracked"])
    assert {*programs(watched.events), *programs(events)} == {"git"}


def spy_program(tmp_path: Path) -> Path:
    """A program that leaves a file behind when it runs."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\n")
    program.chmod(0o755)
    return program


BY_GIT = ("build", "--lastmod", "git", "--max-drop", "100")
ASK_GIT = [("build", "--tracked"), ("check", "--tracked"), BY_GIT]


def test_a_site_is_no_repository(tmp_path: Path, run: Run) -> None:
    """Neither the configuration of a repository nor the site's tree can make git run a program, apart from the filters of files, as of Git LFS."""
    program, root = spy_program(tmp_path), tmp_path / "public"
    config = f'[core]\nbare = false\nworktree = .\nfsmonitor = "{program}"\nrepositoryformatversion = 0\n'
    bare = {"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", "config": config}
    for below in ("", ".git/"):  # like a bare repository, and like another one
        write_site(root, {"a.html": "<p>", **{below + name: text for name, text in bare.items()}})
        for command, *options in ASK_GIT:
            run(command, "public", "--base-url", BASE, *options)
    assert not (tmp_path / "ran").exists()
    shutil.rmtree(root / ".git")
    repo = Repo(tmp_path)
    repo("add", "program")
    repo("commit", "-q", "-m", "x")
    for command, *options in ASK_GIT:
        assert run(command, "public", "--base-url", BASE, *options) != 2, run.err
    assert not (tmp_path / "ran").exists()


def test_programs_of_a_repository(tmp_path: Path, run: Run) -> None:
    program, repo = spy_program(tmp_path), Repo(tmp_path)
    repo.commit(1, {"public/a.html": "<p>", ".gitattributes": "*.html diff=x\n"})
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / name).symlink_to(program)
    named = ("core.fsmonitor", "core.pager", "pager.log", "pager.ls-files", "core.askPass", "core.sshCommand",
             "core.editor", "diff.external", "diff.x.command", "diff.x.textconv", "gpg.program")  # fmt: skip
    for key in named:
        repo("config", key, str(program))
    repo("config", "core.hooksPath", str(hooks))
    repo("config", "log.showSignature", "true")
    for command, *options in ASK_GIT:
        assert run(command, "public", "--base-url", BASE, *options) != 2, run.err
    assert not (tmp_path / "ran").exists()


def test_one_file_starts_git() -> None:
    """One file starts git, with the options that keep it from other programs."""
    may_start = r"subprocess\.|os\.(system|popen|exec|spawn|posix_spawn)"
    files = [*(ROOT / "sitemapper").rglob("*.py")]
    assert [path.name for path in files if re.search(may_start, path.read_text())] == ["git.py"]


def partial(tmp_path: Path, kind: str) -> Repo:
    """A clone without a part of its history, whose configuration names a program to fetch it with."""
    whole = Repo(tmp_path / "whole")
    for number in (1, 2, 3):
        whole.commit(number, {"content/a.md": "x" * number})
    whole("config", "uploadpack.allowFilter", "true")
    whole("clone", "-q", f"--filter={kind}", f"file://{whole.root}", str(tmp_path / "clone"))
    program = tmp_path / "uploadpack"
    program.write_text(f'#!/bin/sh\necho ran >> {tmp_path}/ran\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    clone = Repo(tmp_path / "clone")
    clone("config", "remote.origin.uploadpack", str(program))
    clone("config", "protocol.file.allow", "always")
    maps = '[[git.map]]\npage = "{p}.html"\nsource = ["content/{p}.md"]\n'
    toml = f'base_url = "{BASE}"\nsite = "public"\nlastmod = ["git"]\n{maps}'
    write_site(clone.root, {"public/a.html": "<p>", "sitemapper.toml": toml})
    return clone


@pytest.mark.parametrize("kind", ["tree:0", "blob:none"])
def test_git_fetches(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """git fetches nothing, even in a clone that lacks a part of its history."""
    clone = partial(tmp_path, kind)
    monkeypatch.chdir(clone.root)
    for protocol in ("", "file"):
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", protocol)
        assert run("build") == 0
        assert ("1 page has no date: this is a shallow clone" in run.err) == (kind == "tree:0")
    clone("config", "protocol.x.allow", "always")
    clone("config", "remote.origin.url", "x::y")
    clone("config", "alias.remote-x", f"!{tmp_path}/uploadpack")
    assert run("build") == 0
    assert not (tmp_path / "ran").exists()


def test_entities(tmp_path: Path, run: Run) -> None:
    """It expands no entities and loads nothing from outside."""
    write_site(tmp_path, {"secret": "secret", "a.xml": f'<!DOCTYPE x [<!ENTITY e SYSTEM "{tmp_path}/secret">]><urlset>&e;</urlset>', "b.xml": '<!DOCTYPE x SYSTEM "secret"><urlset/>'})  # fmt: skip
    codes, events = heard(tmp_path, ["validate", "a.xml", "b.xml"])
    assert codes == [1]
    assert "secret" not in opened(tmp_path, events)
    assert run("validate", "a.xml") == 1 and "SM107" in run.out


def test_bounds(tmp_path: Path, run: Run) -> None:
    """Depth, the number of elements and unpacked size are bounded."""
    start = urlset(LOC).partition("</url>")[0]
    texts = ["<a>" * 30_000, "".join(f"<a{n}/>" for n in range(30_000))]
    for text in texts:
        (tmp_path / "a.xml").write_text(start + text)
        assert run("validate", "a.xml") == 1 and "SM107" in run.out
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(start.encode() + b" " * 60_000_000))
    assert run("validate", "a.xml.gz") == 1 and "SM105" in run.out, run.out


def test_folders(project: Path, run: Run) -> None:
    """If you name a folder, it reads no file outside it but your own configuration."""
    root = project / "public"
    (root / "robots.txt").unlink()
    (root / "robots.txt").symlink_to("../secret.xml")
    (root / "i.xml").write_text(
        index(f"<loc>{BASE}sitemap-1.xml</loc>", f"<loc>{BASE}%2e%2e/secret.xml</loc>")
    )
    _, events = heard(project, ["validate", "public"])
    sitemaps = {f"public/{name}" for name in ("i.xml", *SITEMAPS)}
    assert opened(project, events) == {*sitemaps, "sitemapper.toml"}
    run("validate", root)
    assert "secret\n" not in run.out


def test_named_link(project: Path, run: Run) -> None:
    """If you name a symbolic link yourself, it reads the target."""
    (project / "secret.xml").write_text(urlset("<loc>/a</loc>"))
    assert run("validate", project / "public/sitemap-1.xml") == 1
    assert "SM301" in run.out


EVIL = "\x1b[31m::error::evil\r\n%0A.html"


def test_escapes(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and contents of files are escaped before they are printed to a terminal or into annotations."""
    repo = Repo(tmp_path / "project")
    write_site(
        repo.root,
        {
            f"public/{EVIL}": "<p>",
            "public/b.html": f'<link rel=canonical href="/{EVIL}">',
            "public/sitemap-x.xml": urlset(f"<loc>/\x9b31m{BASE}</loc>"),
        },
    )
    maps = '[[git.map]]\npage = "{p}"\nsource = ["{p}"]\n'
    (repo.root / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\nlastmod = ["git"]\n{maps}'
    )
    repo.commit(1, {f"{EVIL}": "x"})
    monkeypatch.chdir(repo.root)
    commands = [["build"], ["check"], ["validate", "public"]]
    commands += [[*command, "--format", "github"] for command in commands]
    commands += [["explain", page] for page in (f"./{EVIL}", "b.html", f"{EVIL}x")]
    commands += [["build", EVIL], ["build", "--config", EVIL]]
    for command in (*commands, ["build", "--excluded", "-"], ["check", "--verbose"]):
        run(*command)
        said = run.out + run.err
        assert said.replace("\n", "").replace("\t", "").isprintable(), (command, said)
        assert not re.search("(?m)^::error::evil", said)
    assert run("explain", f"./{EVIL}") == 0
    assert "source      \\x1b[31m::error::evil" in run.out


def test_actions() -> None:
    """The actions in `.github/workflows` are pinned to commits, keep no credentials, and may only read. The workflow of a release may also show PyPI which workflow it is. That of the documentation may show this to GitHub Pages, and write the pages."""
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text()
        used = re.findall(r"uses: (?!\$/)(\S+)", text)
        assert all(re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}", action) for action in used), path
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")
        assert "\npermissions: {}\n" in text
        may_write = {"release.yml": ["id-token"], "pages.yml": ["pages", "id-token"]}
        assert re.findall(r"([\w-]+): write", text) == may_write.get(path.name, [])


def test_every_sentence_is_held() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    does = " ".join(text.partition("## What sitemapper does\n")[2].partition("\n##")[0].split())
    does = does.partition("`tests/test_security.py`. ")[2]
    sentences = re.split(
        r"(?<=[.])(?: - | )(?=[A-Z*`]|git )", does.replace("**", "").removeprefix("- ")
    )
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    held = {part for test in tests for part in re.split(r"(?<=[.]) ", test.__doc__ or "")}
    headlines = {"`validate` is safe for files of strangers."}
    assert [sentence for sentence in sentences if sentence not in held | headlines] == []
