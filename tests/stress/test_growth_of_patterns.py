"""No expression and no parser takes time out of proportion to its text.

The expressions are those that the quick tests compile, also in the processes that they start, so that
none which is built at run time is missed. Ratios of processor times decide, so the machine does not.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from support import BASE, Count
from support.cost import seconds
from support.patterns import Attack, Usage, attacks
from support.recorder import FOLDER, METHODS, Seen

from sitemapper.hosts import choose
from sitemapper.model import Origin
from sitemapper.read import content, facts
from sitemapper.read.kind import kind_of
from sitemapper.read.sitemap import elements
from sitemapper.select import extra
from sitemapper.syntax import dates, ledger_rows, robots, settings_files, urls
from sitemapper.syntax.gitignore import Line, Patterns
from sitemapper.syntax.html import head_end
from sitemapper.syntax.source_text import read_source
from sitemapper.syntax.templates import compile_map

pytestmark = pytest.mark.slow
BUDGET = float(os.environ.get("SITEMAPPER_JUDGED", 60))  # seconds for each of the two tests
TRIALS_A_SECOND = 2  # of the budget, for each reader: a number, so that each run tries the same
TESTS = Path(__file__).parents[1]
LEAST_SEEN = 300  # expressions; with fewer, the recording has not worked
MOST_OF_A_PLACE = 8  # expressions that one line of code has compiled, such as those of patterns
NOISE = 0.1  # seconds that a use may take for any reason
ENOUGH = 1.0  # seconds; a longer use is not tried with a longer text
# What an expression or a parser can get, in characters, where it is less than a file.
LIMITS = {
    "lastmod/source_paths.py": 4_096,
    "lastmod/sources.py": 4_096,
    "read/walk.py": 255,  # names
    "syntax/gitignore.py": 4_096,  # paths
    "config/filenames.py": 255,
    "publish/published.py": 255,
    "hosts/rule.py": 4_096,
    "hosts/vercel.py": 4_096,
}
FILE = 1 << 16


def growth(run: Callable[[int], Callable[[], object]], limit: int) -> str:
    """How the time grows out of proportion to the size of a text; "" if it does not.

    `run` prepares the use of a text of some size. Twice the size may take three times as long once,
    because larger texts may be read in another way, but not twice in a row.
    """
    last = 0.0
    size = 24
    steep = 0  # doublings in a row that took more than three times as long
    while size <= limit:
        now = seconds(run(size))
        is_steep = now > NOISE and now > 3 * max(last, NOISE / 4)
        steep = steep + 1 if is_steep and now > 3 * seconds(run(size // 2)) else 0
        if steep > 1 or (steep and now > ENOUGH):
            return f"{size // 2} characters {last:.4f} s, {size} {now:.4f} s"
        if now > ENOUGH:
            break
        last = now
        size *= 2
    return ""


def is_always_slow(run: Callable[[int], Callable[[], object]], limit: int) -> str:
    found = ""
    for _ in range(3):
        found = growth(run, limit)
        if not found:
            break
    return found


def recorded(folder: Path) -> list[Seen]:
    """What the package compiles in the quick tests, in an order that is by chance."""
    watching = folder / "watching"
    watching.mkdir()
    shutil.copy(TESTS / "support/recorder.py", watching / "sitecustomize.py")
    seen = folder / "seen"
    seen.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(watching),
        "HYPOTHESIS_PROFILE": "quick",
        FOLDER: str(seen),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not real and not slow", str(TESTS)]
    # Tests that count what is imported fail when they are watched.
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stdout[-2000:]
    lines = {line for file in seen.iterdir() for line in file.read_text().splitlines()}
    # A process that must not write more leaves a line without its end.
    found = [Seen(*json.loads(line)) for line in sorted(lines) if line.endswith('"]')]
    random.Random(len(found)).shuffle(found)
    return found


def few_of_each_place(found: list[Seen]) -> list[Seen]:
    by_place: dict[str, list[Seen]] = {}
    for seen in found:
        of_place = by_place.setdefault(seen.place, [])
        if len(of_place) < MOST_OF_A_PLACE:
            of_place.append(seen)
    return [seen for of_place in by_place.values() for seen in of_place]


def usage_of(seen: Seen) -> Usage:
    text = seen.expression.encode("latin-1") if seen.is_bytes else seen.expression
    method = seen.method if seen.method in ("match", "fullmatch") else "search"
    # The flags of a text include UNICODE, which bytes must not have.
    return Usage(seen.place, re.compile(text, seen.flags & ~re.UNICODE), method)


def attack_pattern(usage: Usage, attack: Attack, size: int) -> Callable[[], object]:
    text = attack.text(size // len(attack.unit), usage.pattern.pattern)
    return partial(usage.run, text)


def slow_uses(found: list[Seen], until: float, count: Count) -> Iterator[str]:
    """The uses of expressions that are slow, as far as there is time."""
    for seen in found:
        usage = usage_of(seen)
        limit = LIMITS.get(seen.place.partition(":")[0], FILE)
        for attack in attacks(usage.pattern):
            result = is_always_slow(partial(attack_pattern, usage, attack), limit)
            if result:
                yield f"{seen.place} {seen.method} {seen.expression[:120]!r} on {attack}: {result}"
                break
        count("expressions attacked", 1)
        if time.monotonic() > until:
            return


def test_no_expression_that_is_ever_compiled_is_slow(tmp_path: Path, count: Count) -> None:
    found = recorded(tmp_path)
    count("expressions and their uses seen", len(found))
    assert len(found) > LEAST_SEEN
    few = few_of_each_place(found)
    assert list(slow_uses(few, time.monotonic() + BUDGET, count)) == []


def page(text: str) -> object:
    options = facts.ReadOptions(
        signals=None,
        dates=True,
        digest=content.make_rule([]),
        images=True,
        titles_and_size=True,
    )
    data = text.encode()
    return facts.extract_facts("a.html", data, options), kind_of("a/b.html", data, head_end(data))


def host_file(name: str, text: str) -> object:
    """The file of a host is read, and a page is looked up."""
    host = choose.choose("auto", {name: text}, "example.com", 0)
    return [rules.move_at("/a/b.html") for rules in host.rules]


def ignored(text: str) -> object:
    patterns = Patterns([Line(line, Origin("x", 1, line)) for line in text.splitlines()])
    return patterns.matches("a" * 240), patterns.matches("a/" * 100 + "b")


HTML = [*'<>"=/!- \n', "a", "<a", "<div>", "</div>", "<p>", "<b>", "</x>", "<!--", "-->", "<meta ", "<title>", "<script>", "</script>", "content=", "<table>", "<svg>", "&#", " - ", "<header>", "{{", "<nav>", "<img src=a>"]  # fmt: skip
JSON = [*'{}[]":,\\ \n', '"a"', "1", '{"a":', "//", "/*", "*/", '"redirects":[{"source":"', "(.*)", ":a*"]  # fmt: skip
LINES = [*":/*\n #[]\"'\\=", "a", "User-agent: *\n", "Disallow: ", "Sitemap: ", " 301", "X-Robots-Tag: ", "/:a", "http://a", "<", ">", ";", "%"]  # fmt: skip
CODE = [*"{}[]()\"'\n =:#,.\\/-`&*|>?!%", "a", "1", "  ", "- ", '"""', "//", "/*", "*/", "f'{", "---\n", "&a ", "*a", "=\n"]  # fmt: skip
XML = [*"<>/=\"' \n&;[]", "a", "<url>", "</url>", "<loc>", "</loc>", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE a [", "<?xml ", "xmlns:a='b'", "http://a/"]  # fmt: skip
# The languages that we read: a function that reads a text, pieces of texts, and what can reach it.
READERS: dict[str, tuple[Callable[[str], object], list[str], int]] = {
    "HTML": (page, HTML, 1 << 15),
    "robots.txt": (lambda text: (robots.read_crawling(text.encode()), robots.sitemap_lines(text.encode())), LINES, FILE),
    "metas for robots": (lambda text: (robots.read_directives(text), robots.header_forbids(text, 0)), LINES, FILE),
    "sitemaps": (lambda text: list(elements(iter([text.encode()]))), XML, FILE),
    "sources": (lambda text: read_source(text.encode()), CODE, FILE),
    "ignore": (ignored, [*"*?[]!/\\ a-^\n", "**/", "/**", "*a", "[a", "[[:", "a/"], 1 << 13),
    "templates": (lambda text: compile_map(text, []).matches("a-" * 2_047 + "b"), [*"{}a-/", "{a}", "{b}", "{a}-"], 1 << 10),
    "pages of templates": (compile_map("{a}-{b}-{c}-{d}-{a}", ["{b}"]).names, [*"-a/b", "ab"], 4_096),
    "dates": (lambda text: (dates.is_date(text), dates.period(text), dates.mail_moment(text)), [*"0123-:TZ+. ,/", "Mon", "Jan", "GMT", "2026-01-01"], 2_047),
    "URLs": (lambda text: (urls.resolve(text, BASE), urls.comparison_key(BASE + text), urls.relative_path(BASE + text, BASE)), [*"/:?#%.@[];=&a", "../", "./", "%2F", "//", "http:", "index.html"], 2_047),
    "lists of URLs": (lambda text: list(extra._read_csv(io.StringIO("loc,lastmod\n" + text, newline=""), "x", [])), [*',"\n\r;a \t', '""', '","', '"a', "http://a/"], 1 << 17),
    "ledger": (lambda text: list(ledger_rows.listed_rows(text.encode().splitlines())), [*"\t\n-:0a", "2026-01-01", "0000-0123456789abcdef"], FILE),
    **{name: (partial(host_file, name), LINES, FILE) for name in ("_redirects", "_headers")},
    **{name: (partial(host_file, name), JSON, FILE) for name in ("vercel.json", "firebase.json")},
    **{name: (lambda text, name=name: settings_files.parse(text, name), CODE, 1 << 14) for name in ("a.toml", "a.yml", "a.py", "a.js", "a.json", "a.rb", "Cargo.toml", "conf.py")},
    **{f"table of {name}": (lambda text, name=name: settings_files.read_table(name, text), CODE, 1 << 17) for name in ("a.toml", "a.jsonc")},
}  # fmt: skip


def read(reader: Callable[[str], object], text: str) -> object:
    """The text as the reader has it. What people can do wrong is a ValueError."""
    try:
        return reader(text)
    except (ValueError, csv.Error) as error:
        return error


def attack_reader(
    reader: Callable[[str], object], start: str, unit: str, end: str, size: int
) -> Callable[[], object]:
    return partial(read, reader, start + unit * (size // len(unit)) + end)


@pytest.mark.parametrize("name", READERS)
def test_no_language_takes_a_reader_long(name: str, count: Count) -> None:
    reader, pieces, limit = READERS[name]
    units = [*pieces, *map("".join, product(pieces, repeat=2))]
    chances = random.Random(name)
    found = []
    for _ in range(int(BUDGET * TRIALS_A_SECOND)):
        start = chances.choice(["", *pieces])
        unit = chances.choice(units)
        end = chances.choice(["", *pieces])
        result = is_always_slow(partial(attack_reader, reader, start, unit, end), limit)
        count("hostile texts for readers of files", 1)
        if result:
            found.append(f"{start!r} {unit!r} {end!r}: {result}")
            break
    assert found == []


def test_a_slow_expression_is_recorded_and_found(tmp_path: Path, count: Count) -> None:
    """The tool itself: an expression that a program builds at run time, in another process."""
    assert set(METHODS) >= {"search", "fullmatch"}
    seen = Seen(r"(\w*)[\w.]*;", False, 0, "fullmatch", "a.py:1")
    assert list(slow_uses([seen], time.monotonic() + 60, count)) != []
