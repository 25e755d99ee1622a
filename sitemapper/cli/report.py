"""`--report`: a run as one HTML page, which needs no script and no network."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from string import Template

from .. import __version__
from ..commands.explain import site_rows
from ..model import Reason
from .console import message_lines, shown
from .render import Result, text

_ROWS = 500  # of a table, so that a browser opens the page of any site at once
_FEW = 25  # rows that are shown without a click


def render(result: Result, now: datetime) -> str:
    """Makes the page. It has the first rows of long lists, and the number of all others."""
    template = files(__package__).joinpath("report.html").read_text("utf-8")
    time = now.astimezone(UTC)
    dated = sum(result.dated(has_date=True).values())
    excluded = sum(result.excluded().values())
    return Template(template).substitute(
        site=escape(result.summary.site.base_url),
        made=f"{time:%Y-%m-%d %H:%M} UTC, by sitemapper {__version__}",
        listed=f"{result.summary.plan.listed:,}",
        dated=f"{dated:,}",
        out=f"{excluded:,}",
        body="\n".join(_parts(result)),
    )


def _parts(result: Result) -> Iterator[str]:
    """Yields the body of the page in HTML, part by part.

    The parts are the messages, what the run prints, and tables of all pages.
    """
    summary = result.summary
    for message in result.messages:
        lines = "\n".join(message_lines(message.severity, message.text, message.help))
        yield f'<p class="{message.severity}">{escape(lines)}</p>'
    printed = "\n".join(map(shown, text(result._replace(is_verbose=False))))
    yield f"<pre>{escape(printed)}</pre>"
    yield _table("Found", list(site_rows(summary.site, result.cwd)), "name", "value", "origin")
    yield _table("Gone", summary.plan.gone, "url", "fate", "target", "origin")
    yield _table("Changes", summary.plan.changes, "kind", "url", "before", "after")
    for reason in Reason:
        left_out = [page for page in summary.selected.excluded if page.reason is reason]
        yield _table(f"Left out: {reason.value}", left_out, "path", "origin", "target")
    yield _table("Listed", summary.dated.entries, "loc", "lastmod", "source")


def _table(title: str, items: Sequence[object], *columns: str) -> str:
    """A table in HTML with a row for each item, "" without items.

    `columns` are the attributes of an item that its row shows, such as "loc" and "lastmod". A long
    table is closed until a click opens it, and has the first items only.
    """
    if not items:
        return ""
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows: list[str] = []
    for item in items[:_ROWS]:
        cells = [_cell(getattr(item, name)) for name in columns]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    body = "\n".join(rows)
    table = f"<table><thead><tr>{head}</tr></thead>\n{body}\n</table>"
    if len(items) > _ROWS:
        table += f"<p>and {len(items) - _ROWS:,} more</p>"
    is_open = " open" if len(items) <= _FEW else ""
    heading = f"<h2>{title} <i>{len(items):,}</i></h2>"
    return f"<details{is_open}><summary>{heading}</summary>\n{table}</details>"


def _cell(value: object) -> str:
    """A cell of a table in HTML. A URL becomes a link, and None an empty cell."""
    text = shown(str(value or ""))
    html = escape(text)
    if text.startswith(("https://", "http://")):
        html = f'<a href="{html}">{html}</a>'
    return f"<td>{html}</td>"
