"""Changed URLs for search engines: what is sent, and what stays in the list."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.rooms import Command, write
from support.web import Answer, Handler, Web, dropped, web

from sitemapper import config
from sitemapper.commands.submit import Submitted, describe_answer, submit
from sitemapper.messages import SitemapperError
from sitemapper.model import Run
from sitemapper.net import Client

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef0123456789abcdef"


class Site:
    """A site with a list to submit, whose host is the engine, too."""

    def __init__(self, root: Path, engine: Web) -> None:
        self.root, self.engine = root, engine
        self.file = root / "changes.tsv"
        engine.pages[f"/{KEY}.txt"] = KEY.encode()
        self.settings()

    def settings(self, path: str = "", key: str = KEY) -> None:
        url = self.engine.url
        text = f'base_url = "{url}{path}"\n[submit]\nendpoint = "{url}indexnow"\nkey = "{key}"\n'
        write(self.root, {"sitemapper.toml": text})

    def lists(self, *rows: str) -> None:
        """Writes the list: `added a.html`."""
        self.file.write_text("".join(f"{self.row(row)}\n" for row in rows))

    def row(self, row: str) -> str:
        kind, _, path = row.partition(" ")
        return row if row.startswith("#") else f"{kind}\t{self.engine.url}{path}"

    @property
    def left(self) -> list[str]:
        rows = self.file.read_text().replace(self.engine.url, "").replace("\t", " ")
        return rows.splitlines()

    @property
    def sent(self) -> list[list[str]]:
        """The paths of each request."""
        posts = self.engine.posts
        return [[url.removeprefix(self.engine.url) for url in post["urlList"]] for post in posts]

    def submit(self, file: str = "", stdin: str = "", is_dry: bool = False) -> Submitted:
        cwd = str(self.root)
        run = Run(cwd, {}, is_dry=is_dry, jobs=1)
        client = Client({}, timeout=1, pause=0)
        return submit(
            file or str(self.file), io.StringIO(stdin), config.load({}, cwd, {}), run, client
        )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with web() as engine:
        yield Site(tmp_path, engine)


def test_each_url_of_the_list_is_sent_once(site: Site) -> None:
    site.lists("changed a.html", "added d.html", "removed c.html", "changed a.html")
    found = site.submit()
    urls = [f"{site.engine.url}{name}.html" for name in "adc"]
    assert site.engine.posts == [{"host": site.engine.authority, "key": KEY, "urlList": urls}]
    [(number, answer)] = found.requests
    assert (number, describe_answer(answer), found.left, found.messages) == (3, "200 OK", 0, ())
    assert site.left == [], "an empty list, to which the next build adds"
    assert site.submit() == Submitted([])
    assert sorted(os.listdir(site.root)) == ["changes.tsv", "sitemapper.toml"]


def test_a_key_below_the_root_is_named(site: Site) -> None:
    site.settings("docs/")
    site.engine.pages[f"/docs/{KEY}.txt"] = KEY.encode()
    site.lists("added docs/a.html")
    site.submit()
    assert site.engine.posts[0]["keyLocation"] == f"{site.engine.url}docs/{KEY}.txt"


# The engine's answer, what is said of it, and what to do; an error if it is final.
ANSWERS: dict[str, tuple[Answer, str, str]] = {
    "accepted": (202, "202 Accepted", ""),
    "203": (203, "203 Non-Authoritative Information", ""),
    "key": ((403, {}, b"key  not\nvalid"), "403 key not valid", "create another key"),
    "busy": ((429, {"Retry-After": "3600"}, b""), "429 Too Many Requests", "wait a minute"),
    "failed": (503, "503 Service Unavailable", "run submit again later"),
    "dropped": (dropped, "the connection was closed before the answer was complete", "run submit again later"),
    "redirected": (301, "301 Moved Permanently", "rejects"),
    "bad": (400, "400 Bad Request", "rejects"),
    "wrong host": (422, "422 Unprocessable Entity", "rejects"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "text", "todo"), ANSWERS.values(), ids=ANSWERS)
def test_what_an_engine_answers(site: Site, answer: Answer, text: str, todo: str) -> None:
    site.lists("added a.html")
    site.engine.answers = [answer]
    if todo == "rejects":
        with pytest.raises(SitemapperError, match=f"indexnow: {text}, so the engine rejects"):
            site.submit()
    else:
        found = site.submit()
        assert describe_answer(found.requests[0][1]) == text
        assert found.left == bool(todo)
        assert todo in "".join(message.help for message in found.messages)
    assert site.sent in ([["a.html"]], []), "never twice"
    assert site.left == ["added a.html"] * bool(todo)
    assert site.submit().left == 0 and site.left == []


def test_a_batch_that_fails_ends_the_run_and_the_next_one_goes_on(site: Site) -> None:
    site.lists(*(f"added {number}" for number in range(25_001)))
    site.engine.answers = [200, 500]
    assert site.submit().left == 15_001
    assert len(site.left) == 15_001
    assert [number for number, _ in site.submit().requests] == [10_000, 5_001]
    assert len(site.engine.accepted) == len(set(site.engine.accepted)) == 25_001


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (404, "does not show the key, so nothing was sent"),
        (b"<html>", "does not show the key, so nothing was sent"),
        (b"x" * 2000, "has more than 1,000 bytes, so nothing was sent"),
        ((302, {"Location": "https://login.example/"}, b""), "redirects to https://login.example/"),
        (403, "answers 403, so nothing was sent"),
    ],
)
def test_nothing_is_sent_before_the_key_is_live(site: Site, answer: Answer, text: str) -> None:
    site.lists("added a.html")
    site.engine.pages[f"/{KEY}.txt"] = answer
    with pytest.raises(SitemapperError) as raised:
        site.submit()
    assert raised.value.text.startswith(f"{site.engine.url}{KEY}.txt: {text}")
    assert raised.value.help
    assert (site.sent, site.left) == ([], ["added a.html"])


def test_the_list_of_a_first_build_is_never_sent(site: Site) -> None:
    site.lists("# no baseline", "added a.html")
    found = site.submit()
    assert [message.code for message in found.messages] == ["no-baseline"]
    assert (site.engine.asked, site.left) == ([], ["# no baseline", "added a.html"])


def test_a_dry_run_opens_no_connection(site: Site) -> None:
    site.lists("added a.html", "removed b.html")
    found = site.submit(is_dry=True)
    assert [str(change) for change in found.changes] == [
        site.row("added a.html"),
        site.row("removed b.html"),
    ]
    assert (site.engine.asked, site.left) == ([], ["added a.html", "removed b.html"])


def test_a_list_from_stdin_or_a_pipe(site: Site) -> None:
    assert site.submit("-", f"{site.row('added a.html')}\n").left == 0
    reader, writer = os.pipe()
    os.write(writer, f"{site.row('added b.html')}\n".encode())
    os.close(writer)
    assert site.submit(f"/dev/fd/{reader}").left == 0
    os.close(reader)
    assert site.sent == [["a.html"], ["b.html"]]


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (200, ["changed b.html", "removed n.html", "added d.html"]),
        # Nobody has ever been told of n.html.
        (503, ["changed a.html", "changed b.html", "added d.html"]),
    ],
)
def test_what_a_build_adds_while_the_list_is_sent(site: Site, answer: int, left: list[str]) -> None:
    def build(handler: Handler) -> None:
        assert not site.file.exists(), "the list was taken"
        site.lists("changed b.html", "removed n.html", "added d.html")
        handler._answer(answer)

    site.lists("changed a.html", "changed b.html", "added n.html")
    site.engine.answers = [build]
    site.submit()
    assert site.left == left


def test_a_first_build_while_the_list_is_sent(site: Site) -> None:
    def build(handler: Handler) -> None:
        site.lists("# no baseline", "added a.html")
        handler._answer(503)

    site.lists("changed b.html")
    site.engine.answers = [build]
    site.submit()
    assert site.left == ["# no baseline", "added a.html"]
    assert not (site.root / "changes.tsv.sending").exists()


def test_what_a_killed_run_has_taken_is_sent_by_the_next_one(site: Site) -> None:
    site.lists("changed a.html", "added b.html")
    site.file.rename(f"{site.file}.sending")
    site.lists("changed c.html")
    assert site.submit().left == 0
    assert site.sent == [["a.html", "b.html", "c.html"]]
    assert sorted(os.listdir(site.root)) == ["changes.tsv", "sitemapper.toml"]


@pytest.mark.parametrize(
    ("rows", "text", "help"),
    [
        (None, "changes.tsv: No such file or directory", "sitemapper build --changes"),
        ("added https://a.example/", "changes.tsv:1: is not", "sitemapper build --changes"),
        ("moved\thttps://a.example/\n", "changes.tsv:1: is not", "sitemapper build --changes"),
        ("\nadded\thttps://a.example/b c\n", "changes.tsv:2: is not", "sitemapper build --changes"),
    ],
)
def test_lists_that_cannot_be_sent(site: Site, rows: str | None, text: str, help: str) -> None:
    if rows is not None:
        site.file.write_text(rows)
    with pytest.raises(SitemapperError) as raised:
        site.submit()
    assert text in raised.value.text and help in raised.value.help
    assert site.engine.asked == []


def test_without_a_key_or_a_base_url(site: Site) -> None:
    site.lists("added a.html")
    site.settings(key="")
    with pytest.raises(SitemapperError, match="submit.key: is not set(.|\n)*init --indexnow"):
        site.submit()
    write(site.root, {"sitemapper.toml": f'[submit]\nkey = "{KEY}"'})
    with pytest.raises(SitemapperError, match="no built site was found(.|\n)*help: "):
        site.submit()
    write(site.root, {"public/CNAME": "none.invalid", "public/index.html": "<p>"})
    with pytest.raises(SitemapperError, match=f"^https://none.invalid/{KEY}.txt: "):
        site.submit()


def test_the_canonicals_of_a_local_build_are_no_base_url(site: Site) -> None:
    canonical = f'<link rel="canonical" href="{site.engine.url}">'
    text = f'[submit]\nendpoint = "{site.engine.url}indexnow"\nkey = "{KEY}"\n'
    write(site.root, {"sitemapper.toml": text, "public/index.html": canonical})
    site.lists("changed ")
    with pytest.raises(SitemapperError, match="build the site again with its address"):
        site.submit()


def test_on_the_command_line(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site.root)
    run = Command(capsys)
    send = ("submit", "--changes", "changes.tsv")
    site.lists("added a.html", "removed b.html")
    site.engine.answers = [429]
    engine = f"{site.engine.url}indexnow"
    assert run(*send) == 1
    assert run.out == (
        f"2 URLs sent to {engine}: 429 Too Many Requests\n2 URLs left in changes.tsv\n"
    )
    assert run.err == (
        f"warning: {engine}: 429 Too Many Requests\n  help: wait a minute, then run submit again\n"
    )
    assert run(*send, "--dry-run") == 0
    assert run.out == f"{site.row('added a.html')}\n{site.row('removed b.html')}\n"
    assert run(*send, "--format", "json") == 0
    assert json.loads(run.out) == {
        "version": 2,
        "dry_run": False,
        "changes": {
            "added": [f"{site.engine.url}a.html"],
            "changed": [],
            "removed": [f"{site.engine.url}b.html"],
        },
        "left": 0,
        "requests": [{"urls": 2, "endpoint": engine, "status": 200, "said": "200 OK"}],
        "messages": [],
    }
    assert run(*send) == 0 and run.out == "nothing to send\n"
    assert run("submit") == 2 and "help: pass the list of" in run.err
    assert run("submit", "--changes", "none.tsv") == 2
    assert "help: let a build write it: sitemapper build --changes none.tsv" in run.err
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{site.row('changed c.html')}\n"))
    assert run("submit", "--changes", "-", "--key", "0" * 32) == 2
    assert f"{'0' * 32}.txt: does not show the key, so nothing was sent" in run.err
