"""Telling search engines what changed: which URLs, in which requests, and what is left to send."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support import MTIME, POSIX, Run, write_site
from support.ledger import page, pages
from support.web import Web

from sitemapper.publish.queue import whole_site_note

KEY = "0123456789abcdef0123456789abcdef"
LIST = ("--changes", "changes.tsv")


@pytest.fixture
def engine(live: Web) -> Web:
    """The live site, which has the key file, and the search engine."""
    live.pages[f"/{KEY}.txt"] = KEY.encode()
    return live


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which the command would have waited."""
    seconds: list[float] = []
    monkeypatch.setattr("sitemapper.cli.submit.time.sleep", seconds.append)
    return seconds


def configured(
    tmp_path: Path, engine: Web, *more: str, submit: str = "", lastmod: str = '["ledger", "mtime"]'
) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{engine.url}"\nsite = "public"\nlastmod = {lastmod}\n'
        + "\n".join(more)
        + f'\n[submit]\nkey = "{KEY}"\nendpoint = "{engine.url}indexnow"\n{submit}\n'
    )


def dated(day: str) -> str:
    return page("dated", day).replace(
        "<title>", f'<meta name="last-modified" content="{day}"><title>'
    )


def rebuilt(tmp_path: Path, files: dict[str, str], run: Run, *flags: str) -> None:
    """The site as its generator would write it anew, a day after the last time."""
    root = tmp_path / "public"
    days = len(list(tmp_path.glob("day*")))
    (tmp_path / f"day{days}").touch()
    root.mkdir(exist_ok=True)
    for old in root.rglob("*.html"):
        old.unlink()
    write_site(root, files, mtime=MTIME + 86_400 * days)
    assert run("build", "--no-robots", "--changes", "changes.tsv", *flags) == 0, run.err


def queue(tmp_path: Path) -> list[str]:
    """The paths that are still to be sent."""
    return [row.rpartition("/")[2] for row in (tmp_path / "changes.tsv").read_text().splitlines()]


def sent(engine: Web) -> list[list[str]]:
    """The paths of each request since the last look."""
    found = [[url.removeprefix(engine.url) for url in post["urlList"]] for post in engine.posts]
    engine.posts.clear()
    return found


@pytest.fixture
def begun(tmp_path: Path, engine: Web, run: Run) -> Path:
    """A site that was built once."""
    configured(tmp_path, engine)
    rebuilt(tmp_path, pages("a", "b", "c"), run)
    return tmp_path


@pytest.fixture
def edited(begun: Path, run: Run) -> Path:
    """The same, with one page to send."""
    rebuilt(begun, pages("a", "b", "c", b="edited"), run)
    return begun


def test_what_is_added_changed_and_removed_is_sent_once(begun: Path, engine: Web, run: Run) -> None:
    rebuilt(begun, pages("a", "b", "d", a="edited"), run)
    files = sorted(os.listdir(begun))
    assert run("submit", *LIST) == 0
    assert run.out == (
        f"3 URLs (1 added, 1 changed, 1 removed) for {engine.url}indexnow\n  3 URLs: 200 OK\n"
    )
    urls = [f"{engine.url}{name}.html" for name in "adc"]
    assert engine.posts == [{"host": engine.authority, "key": KEY, "urlList": urls}]
    assert (queue(begun), sorted(os.listdir(begun))) == ([], files)
    rebuilt(begun, pages("a", "b", "d", a="edited"), run)  # all files anew, without a change
    assert run("submit", *LIST) == 0
    assert run.out == "nothing to send\n"
    assert len(engine.posts) == 1


def test_a_machine_without_memory_sends_what_differs_from_the_live_sitemap(
    tmp_path: Path, engine: Web, run: Run
) -> None:
    configured(tmp_path, engine, 'previous = "live"', lastmod='["page"]')
    before = pages("index", "kept", "lost") | {"edited.html": dated("2026-01-02")}
    rebuilt(tmp_path, before, run)
    sitemap = tmp_path / "public/sitemap.xml"
    engine.pages["/sitemap.xml"] = sitemap.read_bytes()
    for forgotten in (sitemap, tmp_path / "changes.tsv"):
        forgotten.unlink()  # the next job begins with a checkout
    rebuilt(tmp_path, pages("index", "kept", "new") | {"edited.html": dated("2026-02-03")}, run)
    assert run("submit", *LIST) == 0
    assert sent(engine) == [["edited.html", "new.html", "lost.html"]]


def test_urls_that_are_no_files_and_sections_are_told_too(
    tmp_path: Path, engine: Web, run: Run
) -> None:
    extra = (
        f'[[urls]]\nloc = "{engine.url}app?x=1&y"\n[[sitemaps]]\nname = "blog"\nmatch = ["blog/"]'
    )
    configured(tmp_path, engine, extra)
    rebuilt(tmp_path, pages("a", "blog/ü"), run)
    assert run("submit", "--all") == 0
    assert sent(engine) == [["a.html", "app?x=1&y", "blog/%C3%BC.html"]]
    rebuilt(tmp_path, pages("a") | {"blog/ü.html": page("ü", "edited")}, run)
    assert run("submit", *LIST) == 0
    assert sent(engine) == [["blog/%C3%BC.html"]]


def test_all_sends_every_published_url_each_time(begun: Path, engine: Web, run: Run) -> None:
    for _ in range(2):
        assert run("submit", "--all") == 0
        assert run.out == f"3 URLs (3 added) for {engine.url}indexnow\n  3 URLs: 200 OK\n"
        assert sent(engine) == [["a.html", "b.html", "c.html"]]


def test_what_to_send_must_be_said(begun: Path, engine: Web, run: Run) -> None:
    assert run("submit") == 2
    assert run.err == (
        "error: submit needs --changes FILE or --all\n"
        "  help: --changes sends the list that `sitemapper build --changes FILE` wrote; "
        "--all sends every published URL\n"
    )


def test_a_dry_run_lists_and_leaves_the_list_as_it_is(begun: Path, engine: Web, run: Run) -> None:
    rebuilt(begun, pages("a", "d", a="edited"), run, "--max-drop", "100")
    before = (begun / "changes.tsv").read_bytes()
    assert run("submit", *LIST, "--dry-run") == 0
    assert run.out == (
        f"changed\t{engine.url}a.html\nadded\t{engine.url}d.html\n"
        f"removed\t{engine.url}b.html\nremoved\t{engine.url}c.html\n"
    )
    assert (begun / "changes.tsv").read_bytes() == before
    assert engine.asked == []


@pytest.mark.parametrize(
    ("answer", "code", "tries"),
    [
        (202, 0, 1),
        (301, 2, 1),
        (503, 1, 3),
        (422, 2, 1),
    ],
)
def test_what_an_engine_answers(
    edited: Path, engine: Web, run: Run, answer: int, code: int, tries: int
) -> None:
    engine.answers = [answer] * 3
    assert run("submit", *LIST) == code
    assert sent(engine) == [["b.html"]] * tries
    if code == 2:
        assert run.err.startswith(f"error: {engine.url}indexnow: rejected the request: {answer} ")
    engine.answers = []
    assert run("submit", *LIST) == 0
    assert sent(engine) == [["b.html"]] * (code > 0)


def test_the_wait_between_tries_is_the_engines(
    edited: Path, engine: Web, run: Run, slept: list[float]
) -> None:
    engine.answers = [(429, {"Retry-After": "11"}, b"busy"), 429, 200]
    assert run("submit", *LIST) == 0
    assert slept == [11, 120]
    assert run.err.splitlines()[0] == f"note: {engine.url}indexnow: 429 busy; trying again in 11 s"


def many(tmp_path: Path, engine: Web, run: Run) -> None:
    """25,001 URLs to send, of which one is a page."""
    urls = "".join(f'[[urls]]\nloc = "{engine.url}{n}"\n' for n in range(25_000))
    configured(tmp_path, engine, urls, lastmod='["mtime"]')
    rebuilt(tmp_path, pages("a"), run)
    assert run("submit", "--all", "--dry-run") == 0
    (tmp_path / "changes.tsv").write_text(run.out)


@pytest.mark.slow
def test_a_batch_that_fails_ends_the_run_and_the_next_one_goes_on(
    tmp_path: Path, engine: Web, run: Run
) -> None:
    many(tmp_path, engine, run)
    engine.answers = [200, 500, 500, 500]
    assert run("submit", *LIST) == 1
    assert "15,001 URLs left to send: run submit again" in run.out
    assert len(queue(tmp_path)) == 15_001
    assert run("submit", *LIST) == 0
    assert run.out.endswith("\n  10,000 URLs: 200 OK\n  5,001 URLs: 200 OK\n")
    assert len(engine.accepted) == len(set(engine.accepted)) == 25_001


@POSIX
@pytest.mark.slow
def test_killed_between_two_batches_nothing_is_sent_twice_or_forgotten(
    tmp_path: Path, engine: Web, run: Run
) -> None:
    """The engine is busy when the second batch comes; the run is killed while it waits."""
    many(tmp_path, engine, run)
    engine.answers = [200, (503, {"Retry-After": "500"}, b"")]
    program = [sys.executable, "-m", "sitemapper", "submit", *LIST]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        program, cwd=tmp_path, env=environment, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        assert b"503 Service Unavailable; trying again in 500 s" in process.stderr.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert len(engine.accepted) == 10_000
    assert len(queue(tmp_path)) == 15_001
    assert run("submit", *LIST) == 0
    assert len(engine.accepted) == len(set(engine.accepted)) == 25_001
    assert run("submit", *LIST) == 0
    assert run.out == "nothing to send\n"


def test_nothing_is_sent_and_the_list_stays_before_the_key_is_live(
    edited: Path, engine: Web, run: Run, slept: list[float]
) -> None:
    del engine.pages[f"/{KEY}.txt"]
    assert run("submit", *LIST, "--wait", "5") == 2
    assert sum(slept) == 5
    assert f"error: {engine.url}{KEY}.txt: answers 404, so nothing was sent\n" in run.err
    assert "\n  help: deploy the site with the key file" in run.err
    assert sent(engine) == []
    assert queue(edited) == ["b.html"]
    engine.pages[f"/{KEY}.txt"] = KEY.encode()
    assert run("submit", *LIST) == 0
    assert sent(engine) == [["b.html"]]


def test_json(begun: Path, engine: Web, run: Run) -> None:
    rebuilt(begun, pages("a", "c", "d", a="edited"), run)
    assert run("submit", *LIST, "--format", "json") == 0
    assert json.loads(run.out) == {
        "version": 1,
        "dry_run": False,
        "changes": {
            "added": [f"{engine.url}d.html"],
            "changed": [f"{engine.url}a.html"],
            "removed": [f"{engine.url}b.html"],
        },
        "left": 0,
        "requests": [{"urls": 3, "endpoint": f"{engine.url}indexnow", "status": 200, "said": "OK"}],
    }


def test_quiet_says_nothing(begun: Path, engine: Web, run: Run) -> None:
    rebuilt(begun, pages("a"), run, "--max-drop", "100")
    engine.answers = [503, 200]
    assert run("submit", *LIST, "--quiet") == 0
    assert (run.out, run.err) == ("", "")
    assert len(sent(engine)) == 2


# The list of changes.


def test_what_a_build_queues_while_the_list_is_sent_is_not_lost(
    begun: Path, engine: Web, run: Run
) -> None:
    rebuilt(begun, pages("a", "b", "c", a="edited", b="edited"), run)

    def build(handler: Any) -> None:
        rebuilt(begun, pages("a", "b", "c", a="edited", b="edited again") | pages("d"), run)
        handler._answer(KEY.encode())

    engine.pages[f"/{KEY}.txt"] = build
    assert run("submit", *LIST) == 0
    assert (sent(engine), queue(begun)) == ([["a.html", "b.html"]], ["b.html", "d.html"])


def test_what_is_not_accepted_waits_before_what_a_build_adds_meanwhile(
    begun: Path, engine: Web, run: Run
) -> None:
    rebuilt(begun, pages("a", "b", "c", a="edited", b="edited"), run)

    def build(handler: Any) -> None:
        rebuilt(begun, pages("a", "b", "d", a="edited", b="edited"), run)
        handler._answer(b"another key")

    engine.pages[f"/{KEY}.txt"] = build
    assert run("submit", *LIST) == 2
    assert queue(begun) == ["a.html", "b.html", "d.html", "c.html"]
    assert "sending" not in (begun / "changes.tsv").read_text()


def test_a_list_that_cannot_be_rewritten(
    edited: Path, engine: Web, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_source: str, target: str) -> None:
        raise FileExistsError(errno.EEXIST, "File exists", target)

    monkeypatch.setattr("os.replace", refuse)
    assert run("submit", *LIST) == 2
    assert run.err == (
        "error: changes.tsv: cannot be rewritten (File exists), so the next run sends its rows again\n"
        "  help: check the free space, and the permissions of the file and its folder\n"
    )
    assert queue(edited) == ["b.html"]


@POSIX
def test_a_list_from_a_pipe_is_only_read(begun: Path, engine: Web, run: Run) -> None:
    os.mkfifo(begun / "pipe")
    row = f"added\t{engine.url}x\n"
    with ThreadPoolExecutor(1) as writer:
        writer.submit((begun / "pipe").write_text, row)
        assert run("submit", "--changes", "pipe") == 0
    assert sent(engine) == [["x"]]


def test_a_list_from_stdin(
    tmp_path: Path, engine: Web, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    import io

    configured(tmp_path, engine)
    monkeypatch.setattr(
        "sys.stdin", io.StringIO(f"added\t{engine.url}x\r\nremoved\t{engine.url}y?z\n")
    )
    assert run("submit", "--changes", "-") == 0
    assert sent(engine) == [["x", "y?z"]]


def test_the_list_of_a_first_build_is_not_sent(tmp_path: Path, engine: Web, run: Run) -> None:
    configured(tmp_path, engine)
    rebuilt(tmp_path, pages("a", "b"), run, "--changes", "changes.tsv")
    assert run("submit", *LIST) == 0
    assert run.out == "nothing to send\n"
    assert run.err == (
        "warning: changes.tsv: the build found no earlier sitemap, so the list has the whole site and "
        "is not sent\n  help: the next build lists what changes; to send everything once: sitemapper "
        "submit --all\n"
    )
    assert engine.asked == []


def test_a_list_of_the_whole_site_is_no_reason_not_to_send_the_rows_of_another(
    begun: Path, engine: Web, run: Run
) -> None:
    (begun / "changes.tsv").unlink()
    rebuilt(begun, pages("a", "b", "c", "new"), run)
    other = "https://other.example/"
    rows_of_other = f"added\t{other}x\n{whole_site_note(other)}"
    with open(begun / "changes.tsv", "a") as file:
        file.write(rows_of_other)
    assert run("submit", *LIST) == 0, run.err
    assert sent(engine) == [["new.html"]]
    assert (begun / "changes.tsv").read_text() == rows_of_other


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("added\tURLa\nmoved\tURLb\n", "2: expected “added, changed or removed TAB URL”"),
        ("added\t/a\n", "1: expected"),
        ("added\tURLa b\n", "1: expected"),
        ("<!DOCTYPE html>\n", "1: expected"),
        (
            "added\thttps://other.example/\n",
            "1: https://other.example/ is not below base_url (URL)\n",
        ),
    ],
)
def test_a_list_that_is_none_is_refused_as_a_whole(
    tmp_path: Path, engine: Web, run: Run, text: str, said: str
) -> None:
    configured(tmp_path, engine)
    (tmp_path / "changes.tsv").write_text(text.replace("URL", engine.url))
    assert run("submit", *LIST) == 2
    shown = said if "TAB" in said else said.replace("URL", engine.url)
    assert f"error: changes.tsv:{shown}" in run.err
    assert engine.asked == []


def test_a_list_that_is_not_there(tmp_path: Path, engine: Web, run: Run) -> None:
    configured(tmp_path, engine)
    assert run("submit", "--changes", "none.tsv") == 2
    assert run.err == "error: none.tsv: No such file or directory\n"
    assert run("submit", "--changes", "none.tsv", "--all") == 2
    assert run.err == "error: --changes cannot be used with --all\n  help: leave out --all\n"


# The key file, which build publishes.


def test_build_publishes_the_key_once_and_check_agrees(
    tmp_path: Path, engine: Web, run: Run
) -> None:
    configured(tmp_path, engine)
    rebuilt(tmp_path, pages("a"), run)
    assert f"created  {KEY}.txt\n" in run.out
    assert (tmp_path / f"public/{KEY}.txt").read_bytes() == KEY.encode()
    assert run("check", "--no-robots") == 0
    assert run("build", "--no-robots", "--include", "*.txt") == 0
    assert f"{KEY}.txt" not in (tmp_path / "public/sitemap.xml").read_text()
    (tmp_path / f"public/{KEY}.txt").write_text(KEY + "\n")
    assert run("check", "--no-robots") == 1
    assert run("build", "--no-robots") == 0
    assert (tmp_path / f"public/{KEY}.txt").read_bytes() == KEY.encode()
    (tmp_path / f"public/{KEY}.txt").write_text("mine")
    assert run("build", "--no-robots") == 2
    foreign = "was not written by sitemapper, so it is not replaced\n  help: move it elsewhere"
    assert f"{KEY}.txt: {foreign}" in run.err


# What is missing or damaged.


def test_a_key_is_needed(
    tmp_path: Path, engine: Web, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(tmp_path, engine)
    file = tmp_path / "sitemapper.toml"
    file.write_text(file.read_text().replace(KEY, ""))
    assert run("submit", "--all") == 2
    assert run.err.startswith("error: submit.key: is not set, and IndexNow needs a key\n  help: ")
    rebuilt(tmp_path, pages("a"), run)
    assert run("submit", "--key", KEY, "--all") == 0
    monkeypatch.setenv("SITEMAPPER_SUBMIT_KEY", KEY)
    assert run("submit", "--all") == 0
    assert [post["key"] for post in engine.posts] == [KEY, KEY]


@pytest.mark.parametrize("key", ["short", "x" * 129, "under_score"])
def test_a_key_that_is_none(tmp_path: Path, engine: Web, run: Run, key: str) -> None:
    configured(tmp_path, engine)
    assert run("submit", *LIST, "--key", key) == 2
    assert run.err.startswith("error: --key: must be 8 to 128 letters, digits and hyphens")


def test_another_endpoint(edited: Path, engine: Web, run: Run) -> None:
    assert run("submit", *LIST, "--endpoint", "ftp://x/") == 2
    assert run.err.startswith("error: --endpoint: must be an absolute http or https URL")
    assert run("submit", *LIST, "--endpoint", f"{engine.url}other") == 0
    assert engine.asked[-1] == "POST /other"


def test_the_next_endpoint_where_one_is_busy(edited: Path, engine: Web, run: Run) -> None:
    engine.answers = [429, 203]
    one, two = (f"{engine.url}{name}" for name in ("indexnow", "other"))
    config = edited / "sitemapper.toml"
    config.write_text(config.read_text().replace(f'"{one}"', f'["{one}", "{two}"]'))
    assert run("submit", *LIST) == 0
    assert engine.asked[-2:] == ["POST /indexnow", "POST /other"]
    assert run.out == (
        f"1 URL (1 changed) for {one}, {two}\n"
        f"  1 URL to {one}: 429 Too Many Requests\n"
        f"  1 URL to {two}: 203 Non-Authoritative Information\n"
    )
    assert queue(edited) == []


def test_nothing_is_published(tmp_path: Path, engine: Web, run: Run) -> None:
    configured(tmp_path, engine)
    (tmp_path / "public").mkdir()
    assert run("submit", "--all") == 2
    assert (
        "there is no sitemap that sitemapper wrote\n  help: run `sitemapper build` first" in run.err
    )


def test_another_base_url_than_that_of_the_build(begun: Path, run: Run) -> None:
    assert run("submit", "--all", "--base-url", "https://preview.example") == 2
    assert (
        " is not below base_url (https://preview.example/)\n"
        "  help: run build and submit with the same base_url\n" in run.err
    )


def test_a_proxy_of_the_environment(
    begun: Path, engine: Web, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = begun / "sitemapper.toml"
    file.write_text(file.read_text().replace(engine.url, "http://site.invalid/"))
    key = f"http://site.invalid/{KEY}.txt"
    engine.pages[key] = KEY.encode()
    monkeypatch.setenv("HTTP_PROXY", engine.url)
    rebuilt(begun, pages("a"), run, "--max-drop", "100")
    assert run("submit", "--all") == 0
    assert engine.asked == [f"GET {key}", "POST http://site.invalid/indexnow"]
