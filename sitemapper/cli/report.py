"""`--report`: a run as one HTML page, which needs no script and no network."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from string import Template

from .._version import __version__
from ..commands.explain import settled
from ..model import Reason
from .console import message_lines, shown
from .render import FATES, Result

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
        dated=f"{sum(result.dated(has_date=True).values()):,}",
        out=f"{sum(result.excluded().values()):,}",
        body="\n".join(_parts(result)),
    )


def _parts(result: Result) -> Iterator[str]:
    """Yields the messages, then a table for each kind of what was found, decided and changed."""
    summary = result.summary
    for severity, _, text, help in result.messages:
        lines = "\n".join(message_lines(severity, text, help))
        yield f'<p class="{severity}">{escape(lines)}</p>'
    yield _table("Found", ("what", "value", "by"), list(settled(summary.site, result.cwd)))
    files = [(file.name, file.change, file.urls) for file in summary.plan.files]
    yield _table("Files", ("file", "change", "URLs"), files)
    dates = list(result.dated(has_date=True).items())
    yield _table("Dates", ("source", "pages"), dates)
    causes = list(result.dated(has_date=False).items())
    yield _table("Without a date", ("cause", "pages"), causes)
    gone = [(FATES[one.fate], one.url, one.target, one.origin) for one in summary.plan.gone]
    yield _table("Gone", ("what", "URL", "target", "origin"), gone)
    yield _table("Changes", ("what", "URL", "before", "now"), summary.plan.changes)
    for reason in Reason:
        left_out = [
            (one.path, one.origin, one.target)
            for one in summary.selected.excluded
            if one.reason is reason
        ]
        yield _table(f"Left out: {reason.value}", ("path", "origin", "target"), left_out)
    listed = [(entry.loc, entry.lastmod, entry.source) for entry in summary.dated.entries]
    yield _table("Listed", ("URL", "date", "source"), listed)


def _table(title: str, heads: Iterable[str], rows: Sequence[Iterable[object]]) -> str:
    """A table of the first rows, which a click opens if it is long; "" without rows."""
    if not rows:
        return ""
    is_open = " open" if len(rows) <= _FEW else ""
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_ROWS])
    more = f"<p>and {len(rows) - _ROWS:,} more</p>" if len(rows) > _ROWS else ""
    return (
        f"<details{is_open}><summary><h2>{title} <i>{len(rows):,}</i></h2></summary>\n"
        f"<table><thead><tr>{head}</tr></thead>\n{body}\n</table>{more}</details>"
    )


def _cell(value: object) -> str:
    text = shown(str(value or ""))
    html = escape(text)
    if text.startswith(("https://", "http://")):
        html = f'<a href="{html}">{html}</a>'
    return f"<td>{html}</td>"
