"""What a run adds up: counts by reason, a few examples of each warning, sources whose dates lie together."""

from __future__ import annotations

from sitemapper.messages import Kind, Message
from sitemapper.model import BatchResult, Excluded, Origin, Reason
from sitemapper.syntax.gitignore import Line
from sitemapper.tally import EXAMPLES, Tally

PATTERN = Origin("sitemapper.toml", 3, "drafts/")
DAY = 86_400


def excluded(path: str, reason: Reason, origin: Origin = PATTERN) -> Excluded:
    return Excluded(path, reason, origin)


def test_batches_are_added_up() -> None:
    tally = Tally()
    tally.add(BatchResult((), 3, dated={"git": 2, "mtime": 1}))
    tally.add(BatchResult((), 4, dated={"git": 4}))
    assert (tally.listed, tally.dated) == (7, {"git": 6, "mtime": 1})


def test_pages_are_counted_by_reason_and_folders_that_were_not_entered_apart() -> None:
    tally = Tally()
    pages = [
        excluded("b.html", Reason.NOINDEX),
        excluded("a.html", Reason.IGNORED),
        excluded("drafts/", Reason.IGNORED),
    ]
    tally.add(BatchResult((), 0, excluded=pages))
    assert list(tally.excluded.items()) == [(Reason.IGNORED, 1), (Reason.NOINDEX, 1)]
    assert tally.pruned == 1


def test_a_warning_keeps_its_number_and_the_first_examples() -> None:
    tally = Tally()
    tally.warn([Message(Kind.IMPLAUSIBLE, (f"{n}.html",)) for n in (1, 1, 2, 3, 4, 5)])
    tally.warn([Message(Kind.BASE_URL, ("x",))])
    assert tally.warnings == [
        Message(Kind.BASE_URL, ("x",)),
        Message(Kind.IMPLAUSIBLE, ("1.html", "2.html", "3.html"), 6),
    ]
    assert len(tally.warnings[1].subjects) == EXAMPLES


def test_a_page_that_cannot_be_read_is_a_warning_too() -> None:
    tally = Tally()
    tally.add(
        BatchResult(
            (), 0, excluded=[excluded("a.html", Reason.UNREADABLE, Origin("Permission denied"))]
        )
    )
    assert tally.warnings == [Message(Kind.UNREADABLE, ("a.html (Permission denied)",))]


def test_the_dates_of_a_source_add_up() -> None:
    tally = Tally()
    tally.add(BatchResult((), 2, seconds={"mtime": [5 * DAY, 5 * DAY + 1]}))
    tally.add(BatchResult((), 1, seconds={"mtime": [9 * DAY]}))
    dates = tally.histogram("mtime")
    assert (dates.total, round(dates.share(), 2)) == (3, 0.67)
    assert tally.histogram("git").total == 0


def test_a_line_without_effect_is_named() -> None:
    tally = Tally()
    used, other = Origin("sitemapper.toml", 5, "[[rules]]"), Origin("sitemapper.toml", 8, "tmp/")
    tally.add(
        BatchResult(
            (), 1, excluded=[excluded("drafts/", Reason.IGNORED)], effective=frozenset({used})
        )
    )
    lines = [Line(origin.text, origin) for origin in (PATTERN, used, other)]
    assert tally.unused(lines) == [Line("tmp/", other)]
