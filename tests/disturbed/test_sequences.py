"""Dates after random sequences of everyday acts, compared with what the acts did to each page.

Each sequence belongs to one kind of project: the output of a generator with a ledger, the output of a
generator from sources in git, or pages that are committed with their sitemap.

A page's date must lie in its span: from the moment when somebody changed the page to the moment when the
change arrived, such as by a merge. Such a date is not newer than the page's last change, not older, and not
that of a copy. A page may also have no date.

`make stress SEED=7` repeats the sequences of a run. Their seeds are in the names of the tests.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import BASE, POSIX
from support.git import DAY, Repo
from support.ledger import dates

import sitemapper
from sitemapper.syntax.dates import moment

pytestmark = [POSIX, pytest.mark.slow]

FIRST_SEED = int(os.environ.get("SITEMAPPER_SEED", "0"))
SEQUENCES = 200
ACTS = 12  # of a sequence
FEWEST_IN_GIT = 22  # of fewer sources, people edit all at once (docs/dates.md)
PARAGRAPHS = 12


class Span(NamedTuple):
    """When a page last changed: between an edit and the moment at which the edit arrived."""

    first: int
    last: int


class Text:
    """What a page says: paragraphs, and a number that a formatter changes."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.paragraphs = [f"Paragraph {n} of {title}." for n in range(PARAGRAPHS)]
        self.format = 0

    def html(self) -> str:
        body = "\n".join(f"<p>{line}</p>" for line in self.paragraphs)
        return (
            f"<!doctype html>\n<!-- format {self.format} -->\n<title>{self.title}</title>\n"
            f"<nav>menu</nav>\n<main>\n<h1>{self.title}</h1>\n{body}\n</main>\n"
        )

    def markdown(self) -> str:
        body = "\n\n".join(self.paragraphs)
        return f"# {self.title}\n\n<!-- format {self.format} -->\n\n{body}\n"


def walked_by_build(pages: Collection[str], values: dict[str, Any]) -> set[str]:
    """The pages that a build with these values does not ignore."""
    return {page for page in pages if "ignore" not in values or not page.startswith("d/")}


class Story:
    """What somebody does to a project, and when each of its pages changed."""

    folder = "site"
    least, most = 2, 26  # pages
    least_not_ignored = 1

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.chance = random.Random(seed)
        # In the future, so that the times of the real clock can be told from those of the story.
        self.started = int(time.time())
        self.clock = self.started + DAY
        self.texts: dict[str, Text] = {}
        self.spans: dict[str, Span] = {}
        self.said: list[str] = []
        self.names = 0
        self.unbuilt: set[str] = set()  # pages that changed since the last build that walked them
        self.values: dict[str, Any] = {}
        self.decide()
        root.mkdir(parents=True)
        self.begin()

    def decide(self) -> None:
        """What the person wrote into the configuration."""
        if self.chance.random() < 0.4:
            self.values["ledger"] = {"path": str(self.root / "sitemapper.ledger")}

    @property
    def has_ledger(self) -> bool:
        return "ledger" in self.values

    def begin(self) -> None:
        for _ in range(self.chance.randint(self.least, self.most)):
            self.add()

    # What every story has.

    def say(self, text: str) -> None:
        self.said.append(f"{datetime.fromtimestamp(self.clock, UTC):%m-%d %H:%M:%S} {text}")

    def wait(self) -> None:
        """Somebody edits the next page two minutes later, or after some days."""
        self.clock += self.chance.choice((120, 1_000, 40_000, 3 * DAY)) + self.chance.randrange(60)

    def file(self, page: str) -> Path:
        return self.root / self.folder / page

    def save(self, page: str) -> None:
        """Writes the page's file now."""
        file = self.file(page)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.texts[page].html())
        self.set_time(file)

    def set_time(self, file: Path) -> None:
        os.utime(file, (self.clock, self.clock))

    def changed(self, page: str) -> None:
        self.spans[page] = Span(self.clock, self.clock)
        self.unbuilt.add(page)

    def some_page(self) -> str:
        return self.chance.choice(sorted(self.texts))

    def rewrite(self, page: str, paragraph: int | None = None) -> None:
        """Somebody changes a paragraph of a page and saves it."""
        place = self.chance.randrange(PARAGRAPHS) if paragraph is None else paragraph
        self.texts[page].paragraphs[place] = f"Written at {self.clock}, {self.chance.random()}."
        self.save(page)
        self.changed(page)

    def build(self, **values: Any) -> None:
        """Builds in the project's folder, and compares the dates."""
        self.build_at(self.root, **values)
        self.unbuilt -= walked_by_build(self.unbuilt, values)

    def build_at(self, root: Path, **values: Any) -> None:
        self.say(f"build {root.name} {values or ''}")
        given = {
            "base_url": BASE,
            "site": str(root / self.folder),
            "url_style": "file",
            "max_drop": 100,
            **self.values,
            **values,
        }
        setup = sitemapper.load(given, cwd=str(root))
        now = datetime.fromtimestamp(self.clock, UTC)
        page = self.chance.choice(sorted(walked_by_build(self.texts, values)))
        explained = sitemapper.explain(setup, page, now=now)
        sitemapper.build(setup, now=now)
        found = dates(root / self.folder)
        self.compare(found)
        assert explained.reason == "", page
        texts = {name: text for name, text, _ in explained.rows}
        assert texts["lastmod"] == (found[page] or "none"), page

    def compare(self, found: dict[str, str | None]) -> None:
        for page, text in found.items():
            date = (moment(text) or 0) if text else None
            span = self.spans[page]
            assert date is None or span.first <= date <= span.last, self.story(page, text)

    def story(self, page: str, date: str | None) -> str:
        first, last = (datetime.fromtimestamp(s, UTC).isoformat() for s in self.spans[page])
        acts = "\n".join(self.said)
        return f"{page} has the date {date}, but changed between {first} and {last}\n{acts}"

    # The acts. Each kind of project has its `rename`, and says which `acts` it knows.

    def edit(self) -> None:
        page = self.some_page()
        self.say(f"edit {page}")
        self.rewrite(page)

    def add(self) -> None:
        self.wait()
        self.names += 1
        page = f"{self.chance.choice(('', '', '', 'd/', 'e/'))}p{self.names}.html"
        self.say(f"add {page}")
        self.texts[page] = Text(f"Page {self.names}")
        self.save(page)
        self.changed(page)

    def delete(self) -> None:
        if len(self.texts) > self.least:
            page = self.some_page()
            self.say(f"delete {page}")
            self.file(page).unlink(missing_ok=True)  # its generator may not have written it yet
            del self.texts[page], self.spans[page]

    def move(self) -> None:
        old = self.some_page()
        self.names += 1
        new = f"{self.chance.choice(('', 'd/'))}m{self.names}.html"
        self.say(f"move {old} to {new}")
        self.rename(old, new)
        self.texts[new] = self.texts.pop(old)
        self.spans[new] = self.spans.pop(old)

    def revert(self) -> None:
        """Edits a page, builds or not, and takes the edit back."""
        page = self.some_page()
        before = deepcopy(self.texts[page])
        span = self.spans[page]
        self.say(f"edit {page}, to be reverted")
        self.rewrite(page)
        is_seen = self.chance.random() < 0.5
        if is_seen:
            self.build()
        self.wait()
        self.say(f"revert {page}")
        self.texts[page] = before
        self.save(page)
        self.changed(page)
        if not is_seen:  # a ledger finds the page unchanged
            self.spans[page] = Span(span.first, self.clock)

    def lose_ledger(self) -> None:
        self.say("lose the ledger")
        (self.root / "sitemapper.ledger").unlink(missing_ok=True)

    def ignore(self) -> None:
        """An ignored folder for one build.

        A lost ledger is made anew before. Otherwise the pages of the folder would be new to the
        ledger afterwards, and have the times of their files.
        """
        rest = [page for page in self.texts if not page.startswith("d/")]
        if len(rest) < self.least_not_ignored:
            return
        if not (self.root / "sitemapper.ledger").exists():
            self.build()
        self.build(ignore=["d/"])

    def run(self) -> None:
        self.build()
        for _ in range(ACTS):
            self.wait()
            self.chance.choice(self.acts())()
            if self.chance.random() < 0.6:
                self.wait()
                self.build()


class Generated(Story):
    """The output of a generator that writes all files at each build. A ledger remembers the dates."""

    folder = "public"

    def decide(self) -> None:
        self.values["ledger"] = {"path": str(self.root / "sitemapper.ledger")}

    def save(self, page: str) -> None:
        """The file is written by the next build only."""
        self.unbuilt.add(page)

    def rename(self, old: str, new: str) -> None:
        self.unbuilt.add(new)

    def delete(self) -> None:
        before = set(self.texts)
        super().delete()
        self.unbuilt -= before - set(self.texts)

    def format_all(self) -> None:
        self.say("another theme")
        for text in self.texts.values():
            text.format += 1

    def build_at(self, root: Path, **values: Any) -> None:
        self.generate(root)
        for page in walked_by_build(self.unbuilt, values) & set(self.texts):
            self.spans[page] = Span(self.spans[page].first, self.clock)
        super().build_at(root, **values)

    def generate(self, root: Path) -> None:
        """Writes all pages within a second or two, and removes what is no page any more."""
        output = root / self.folder
        for file in output.rglob("*.html"):
            if str(file.relative_to(output)) not in self.texts:
                file.unlink()
        for n, (page, text) in enumerate(sorted(self.texts.items())):
            file = output / page
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.html())
            when = self.clock + n // 20
            os.utime(file, (when, when))
        self.clock += 2

    def acts(self) -> Sequence[Callable[[], None]]:
        return (
            *[self.edit] * 5, self.add, self.delete, self.move, self.revert, self.format_all,
            self.lose_ledger, self.ignore,
        )  # fmt: skip


class InGit(Story):
    """A project in git, whose commits happen on a main branch and on others."""

    may_build_anywhere = True
    least, most = 28, 34
    least_not_ignored = FEWEST_IN_GIT

    def begin(self) -> None:
        self.repo = Repo(self.root)
        (self.root / ".gitignore").write_text("public/\nsitemapper.ledger\n")
        self.uncommitted: set[str] = set()
        self.added: set[str] = set()  # of these, the new ones
        self.clones = 0
        super().begin()

    def git(self, *command: str) -> None:
        """Runs git at the time of the story. Files that git writes have this time, too."""
        number = (self.clock - 1_767_225_600) / DAY + 1
        self.repo(*command, on=number)  # type: ignore[arg-type]
        self.set_times(self.root)

    def set_times(self, root: Path) -> None:
        for file in root.rglob("*"):
            of_real_clock = file.is_file() and file.stat().st_mtime < self.started + DAY / 2
            if of_real_clock and ".git" not in file.parts:
                self.set_time(file)

    def changed(self, page: str) -> None:
        super().changed(page)
        self.uncommitted.add(page)

    def add(self) -> None:
        super().add()
        self.added |= self.uncommitted & {page for page in self.texts if f"p{self.names}." in page}
        if self.names % 3 == 0:
            self.commit()

    def delete(self) -> None:
        super().delete()
        self.uncommitted &= set(self.texts)

    def rename(self, old: str, new: str) -> None:
        """A commit of its own, so that it is a pure rename."""
        self.commit()
        self.file(new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", str(self.file(old)), str(self.file(new)))
        self.git("commit", "-q", "-m", "rename")

    def arrive(self, pages: Collection[str]) -> None:
        """A change of these pages arrives now."""
        for page in set(pages) & set(self.spans):
            self.spans[page] = Span(self.spans[page].first, self.clock)

    def commit(self) -> None:
        """Commits what was changed, one page a commit or all at once."""
        if self.chance.random() < 0.3:
            self.commit_in_parts()
        self.commit_all()

    def commit_all(self, *options: str) -> None:
        self.say(f"commit {' '.join(options)} {sorted(self.uncommitted)}")
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "x", *options)
        self.arrive(self.uncommitted)
        self.uncommitted.clear()
        self.added.clear()

    def commit_in_parts(self) -> None:
        for page in sorted(self.uncommitted):
            self.say(f"commit {page}")
            self.git("add", str(self.file(page)))
            self.git("commit", "-q", "--allow-empty", "-m", "part")
            self.arrive({page})
            self.uncommitted.discard(page)
            self.added.discard(page)
            self.wait()

    def edit_and_commit(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.edit()
            self.wait()
        self.commit()

    def amend(self) -> None:
        """One more page comes into the last commit."""
        self.commit()
        first = self.some_page()
        self.rewrite(first)
        self.commit_all()
        if self.chance.random() < 0.5:
            self.build()
        self.wait()
        # A page that is edited before the build and after it keeps the first time (docs/dates.md).
        second = self.chance.choice(sorted({*self.texts} - {first}))
        self.say(f"amend a commit of {first} by {second}")
        self.rewrite(second)
        self.commit_all("--amend")
        self.arrive({first})

    def format_all(self) -> None:
        self.commit()
        self.say("format all and commit")
        for page, text in self.texts.items():
            text.format += 1
            self.save(page)
        self.commit_all()

    def revert(self) -> None:
        """`git revert` of an edit, which is an edit."""
        self.commit()
        page = self.some_page()
        before = deepcopy(self.texts[page])
        span = self.spans[page]
        self.say(f"edit {page}, to be reverted")
        self.rewrite(page)
        self.commit_all()
        is_seen = self.may_build_anywhere and self.chance.random() < 0.5
        if is_seen:
            self.build()
        self.wait()
        self.say(f"git revert, {page}")
        self.git("revert", "--no-edit", "HEAD")
        self.texts[page] = before
        # A ledger or a sitemap of before the edit finds the page unchanged.
        self.spans[page] = Span(self.clock if is_seen else span.first, self.clock)
        self.uncommitted.clear()

    def stash(self) -> None:
        """An edit is put aside, the site built, and the edit taken back."""
        self.commit()
        page = self.some_page()
        before = deepcopy(self.texts[page])
        span = self.spans[page]
        self.say(f"edit {page} and stash")
        self.rewrite(page)
        edited = self.spans[page]
        after = self.texts[page]
        self.git("stash", "-q")
        self.texts[page] = before
        self.spans[page] = span
        self.wait()
        if self.may_build_anywhere:
            self.build()
        self.wait()
        self.say("stash pop")
        self.git("stash", "pop", "-q")
        self.texts[page] = after
        self.spans[page] = Span(edited.first, self.clock)
        self.uncommitted.add(page)

    def branch(self) -> None:
        """Work on a branch, at the same time as on the main one, which comes in one of six ways."""
        self.commit()
        pages = self.chance.sample(sorted(self.texts), 6)
        on_branch, on_main = pages[:3], pages[3:]
        way = self.chance.choice(("merge", "squash", "rebase", "discard", "undo", "both"))
        self.say(f"{way} a branch with {on_branch}, while main has {on_main}")
        texts = deepcopy(self.texts)
        spans = dict(self.spans)
        self.git("switch", "-q", "-c", "work")
        for page in on_branch:
            self.wait()
            self.rewrite(page, paragraph=2)
            self.commit()
        # A ledger that git does not track would find the pages changed again on the main branch.
        if self.may_build_anywhere and not self.has_ledger and self.chance.random() < 0.5:
            self.build()
        changed = {page: (self.texts[page], self.spans[page]) for page in on_branch}
        if way == "undo":
            for page in on_branch:
                self.texts[page] = deepcopy(texts[page])
                self.save(page)
                self.wait()
            self.say("undo the edits of the branch")
            self.commit()
        self.git("switch", "-q", "main")
        self.texts, self.spans = texts, spans
        self.uncommitted.clear()
        edited = on_main if way != "both" else [*on_main, on_branch[0]]
        for page in edited:
            self.wait()
            self.rewrite(page, paragraph=9)
            self.commit()
        if self.may_build_anywhere and self.chance.random() < 0.5:
            self.build()
        self.wait()
        match way:
            case "merge" | "both" | "undo":
                self.git("merge", "-q", "--no-ff", "-m", "merge", "work")
            case "squash":
                self.git("merge", "-q", "--squash", "work")
                self.git("commit", "-q", "-m", "squashed")
            case "rebase":
                self.git("switch", "-q", "work")
                self.git("rebase", "-q", "main")
                self.git("switch", "-q", "main")
                self.git("merge", "-q", "--ff-only", "work")
            case "discard":
                self.git("merge", "-q", "-s", "ours", "-m", "discard", "work")
        self.git("branch", "-q", "-D", "work")
        if way in ("discard", "undo"):
            return
        for page, (text, span) in changed.items():
            if page in edited:
                text.paragraphs[9] = self.texts[page].paragraphs[9]
                span = Span(max(span.first, self.spans[page].first), span.last)
            self.texts[page] = text
            self.spans[page] = Span(span.first, self.clock)

    def clone(self) -> None:
        """Builds in two clones, with all commits or with the last ones, which write the same."""
        self.commit()
        depth = self.clone_depth()
        written, clock = [], self.clock
        for _ in range(2):
            self.clock = clock
            self.clones += 1
            root = self.root.with_name(f"clone{self.clones}")
            self.say(f"clone {depth}")
            self.git("clone", "-q", *depth, f"file://{self.root}", str(root))
            self.set_times(root)
            self.build_at(root, **self.values_of_clone(root))
            files = (root / self.folder / "sitemap.xml", root / "sitemapper.ledger")
            written.append([file.read_bytes() for file in files if file.exists()])
            shutil.rmtree(root)
        assert written[0] == written[1], "\n".join(self.said)

    def clone_depth(self) -> list[str]:
        """All commits, or the last few of them."""
        return self.chance.choice(([], [], ["--depth", str(self.chance.randint(1, 6))]))

    def values_of_clone(self, root: Path) -> dict[str, Any]:
        return {"ledger": {"path": str(root / "sitemapper.ledger")}} if self.has_ledger else {}

    def copy(self) -> None:
        self.say("cp -r of the project")
        for page in self.texts:
            if page not in self.uncommitted:
                self.set_time(self.file(page))

    def acts(self) -> Sequence[Callable[[], None]]:
        return (
            *[self.edit_and_commit] * 3, self.edit, self.edit, self.add, self.delete, self.move, self.revert,
            self.format_all, self.amend, self.stash, *[self.branch] * 3, self.clone, self.clone, self.copy,
            self.lose_ledger, self.ignore,
        )  # fmt: skip


class FromSources(InGit):
    """Markdown in git, and the output of a generator, which is not in git."""

    folder = "public"

    def file(self, page: str) -> Path:
        return self.root / "content" / page.replace(".html", ".md")

    def save(self, page: str) -> None:
        file = self.file(page)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.texts[page].markdown())
        self.set_time(file)

    def build_at(self, root: Path, **values: Any) -> None:
        Generated.generate(self, root)  # type: ignore[arg-type]
        for page in self.added & walked_by_build(self.texts, values):
            # git does not know the source yet, so the page has the time of this build.
            self.spans[page] = Span(self.spans[page].first, self.clock)
        super().build_at(root, **values)


class Committed(InGit):
    """Pages that are committed with their sitemap: a hook builds before each commit, or a bot after it."""

    may_build_anywhere = (
        False  # the sitemaps of two branches have conflicts, which git leaves to people
    )

    def decide(self) -> None:
        super().decide()
        self.has_hook = self.chance.random() < 0.5

    def edit_and_commit(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.edit()
            self.wait()
        if self.has_hook:
            self.build()
        if self.chance.random() < 0.3:
            self.edit_one_more()
        self.commit()
        if not self.has_hook:
            self.wait()
            self.build()
            self.commit()

    def clone_depth(self) -> list[str]:
        """A shallow clone may lack the commit before that of the sitemap (docs/dates.md)."""
        return []

    def changed(self, page: str) -> None:
        """A page that is edited, built and edited again keeps the first time (docs/dates.md)."""
        is_edited_again = page in self.uncommitted and page not in self.unbuilt
        span_before = self.spans.get(page)
        super().changed(page)
        if is_edited_again and span_before:
            self.spans[page] = Span(span_before.first, self.clock)

    def commit_old_sitemap(self) -> None:
        """A page is edited and committed alone, and then the sitemap of a build before its edit."""
        self.edit()
        self.build()
        self.wait()
        self.edit_one_more()
        self.wait()
        self.commit_in_parts()
        self.commit_all()

    def acts(self) -> Sequence[Callable[[], None]]:
        return [*super().acts(), self.commit_old_sitemap]

    def edit_one_more(self) -> None:
        """Another page is edited between the build and the commit."""
        page = self.some_page()
        if page not in self.uncommitted:
            self.say(f"edit one more: {page}")
            self.rewrite(page)


KINDS = (Generated, FromSources, Committed)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SEQUENCES))
def test_no_date_is_newer_or_older_than_the_last_change(seed: int, tmp_path: Path) -> None:
    kind = KINDS[seed % len(KINDS)]
    kind(tmp_path / "project", seed).run()
