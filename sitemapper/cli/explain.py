"""`sitemapper explain`."""

import sys
from dataclasses import dataclass
from typing import Literal

import typer

from ..commands.explain import Explanation
from ..commands.explain import explain as run
from ..model import Excluded, Listed
from .options import COLOR, FORMAT, MAIN, SiteOptions, flag
from .parameters import command
from .render.json import document
from .request import load_settings
from .streams import emit, now, use_color
from .words import paint, shown

PAGE = typer.Argument(..., metavar="PAGE", help="A page: its path in the site, or its URL.")
# They do not change the explanation of a page.
_NOT_SHOWN = ("text", "gzip", "index", "max_urls", "max_bytes", "robots", "max_drop", "strict")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExplainOptions(SiteOptions):
    """The options of `explain`."""

    site: str | None = flag(None, MAIN, "Folder of the built site  [default: .]", "DIR")
    format: Literal["text", "json"] = FORMAT
    color: Literal["auto", "always", "never"] = COLOR


@command("explain blog/a.html", "explain https://example.com/blog/", hidden=_NOT_SHOWN)
def explain(target: str = PAGE, *, options: ExplainOptions) -> None:
    """Explain why a page is listed or not.

    Print the file and the line that decided, and where each of its values comes from.
    """
    settings = load_settings(options.site, options, options.config, way=" (--site FOLDER)")
    explanation = run(settings, target, now=now())
    if options.format == "json":
        emit([_json(explanation)])
    else:
        emit([_text(explanation, use_color(options.color, sys.stdout))])


def _text(explanation: Explanation, color: bool) -> str:
    """The answer to `explain`, for a person."""
    name = paint(shown(explanation.path), "1", color)
    if isinstance(explanation.verdict, Excluded):
        excluded = explanation.verdict
        folder = f" (the folder {shown(excluded.path)})" if excluded.is_folder else ""
        lines = [
            f"{name} is not listed: {excluded.reason.value}{folder}",
            f"  decided by  {shown(str(excluded.origin))}",
        ]
    else:
        lines = [f"{name} is listed"]
        lines += [
            f"  {key:10}  {shown(value)}{f'  ({shown(origin)})' if origin else ''}"
            for key, value, origin in explanation.values
        ]
    for kind, about in explanation.warned:
        lines += [f"  warning     {kind.value}: {shown(about)}", f"  help        {kind.help}"]
    return "\n".join(lines)


def _json(explanation: Explanation) -> str:
    """The same as JSON, `"version": 1`."""
    shape: dict[str, object] = {
        "path": shown(explanation.path),
        "listed": isinstance(explanation.verdict, Listed),
    }
    if isinstance(explanation.verdict, Excluded):
        shape |= {
            "reason": explanation.verdict.reason.name.lower(),
            "origin": str(explanation.verdict.origin),
        }
    shape["values"] = {key: {"value": value, "origin": origin} for key, value, origin in explanation.values}
    shape["warnings"] = [{"kind": c.name.lower(), "about": shown(about)} for c, about in explanation.warned]
    return document(shape)
