"""`--report`: a run as one HTML page, which needs no script and no network."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from operator import attrgetter
from string import Template

from .._version import __version__
from ..commands.explain import settled
from ..model import Reason
from .console import message_lines, shown
from .result import FATES, KINDS, Result

_ROWS = 500  # of a table, so that a browser opens the page of any site at once
_FEW = 25  # rows that are shown without a click


def render(result: Result, now: datetime) -> str:
    """Makes the page. It has the first rows of long lists, and the number of all others."""
    entries = result.summary.dated.entries
    duration = f"in {result.seconds:.1f} s, by sitemapper {__version__}"
    template = files(__package__).joinpath("report.html").read_text("utf-8")
    return Template(template).substitute(
        site=escape(result.summary.site.base_url),
        made=f"{now.astimezone(UTC):%Y-%m-%d %H:%M} UTC, {duration}",
        listed=f"{len(entries):,}",
        dated=f"{sum(entry.lastmod is not None for entry in entries):,}",
        out=f"{sum(result.excluded().values()):,}",
        body="\n".join(_parts(result)),
    )


def _parts(result: Result) -> Iterator[str]:
    """Yields the messages, then a table for each kind of what was found, decided and changed."""
    site, plan = result.summary.site, result.summary.plan
    entries = result.summary.dated.entries
    for severity, _, text, help in result.messages:
        lines = "\n".join(message_lines(severity, text, help))
        yield f'<p class="{severity}">{escape(lines)}</p>'
    folder = ("folder", site.found.folder, site.found.origin)
    yield _table("Found", ("what", "value", "by"), [folder, *settled(site)])
    yield _list("Files", plan.files, file="name", change="change", URLs="urls")

    dates = Counter((one.lastmod[:7], one.source) for one in entries if one.lastmod)
    months = [(*key, pages) for key, pages in sorted(dates.items(), reverse=True)]
    yield _table("Dates", ("month", "source", "pages"), months)
    causes = Counter(one.source for one in entries if not one.lastmod)
    yield _table("Without a date", ("cause", "pages"), causes.most_common())

    for fate, name in FATES.items():
        gone = [one for one in plan.gone if one.fate == fate]
        yield _list(f"Gone: {name}", gone, URL="url", target="target", origin="origin")
    for kind in KINDS:
        changes = [one for one in plan.changes if one.kind == kind]
        yield _list(kind.title(), changes, URL="url", before="before", now="after")
    for reason in Reason:
        left_out = [one for one in result.summary.selected.excluded if one.reason is reason]
        title = f"Left out: {reason.value}"
        yield _list(title, left_out, path="path", origin="origin", target="target")
    yield _list("Listed", entries, URL="loc", date="lastmod", source="source")


def _list(title: str, items: Sequence[object], **columns: str) -> str:
    """A table of the first items: their attributes, by the heads of the columns."""
    rows = list(map(attrgetter(*columns.values()), items[:_ROWS]))
    more = f"<p>and {len(items) - _ROWS:,} more</p>" if len(items) > _ROWS else ""
    return _table(f"{title} <i>{len(items):,}</i>", columns, rows, more)


def _table(
    title: str, heads: Iterable[str], rows: Sequence[Sequence[object]], below: str = ""
) -> str:
    """A table, which a click opens if it is long; "" without rows."""
    if not rows:
        return ""
    is_open = " open" if len(rows) <= _FEW else ""
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"<details{is_open}><summary><h2>{title}</h2></summary>\n"
        f"<table><thead><tr>{head}</tr></thead>\n{body}\n</table>{below}</details>"
    )


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else shown(str(value or ""))
    html = escape(text)
    if text.startswith(("https://", "http://")):
        html = f'<a href="{html}">{html}</a>'
    return f"<td>{html}</td>"
