"""`sitemapper explain`."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import typer

from ..commands.explain import Explanation
from ..commands.explain import explain as run
from ..model import Excluded, GoneUrl, Listed
from .console import BOLD, emit, now, paint, use_color
from .options import FORMAT, MAIN, SiteOptions, flag
from .parameters import command
from .render.json import document
from .request import load_setup
from .text import shown
from .words import in_words

PAGE = typer.Argument(..., metavar="PAGE", help="A page: its path in the site, or its URL.")
# Options that do not change the explanation of a page, so the help does not show them.
_HIDDEN_OPTIONS = ("text", "gzip", "index", "max_urls", "max_bytes", "robots", "max_drop", "strict")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExplainOptions(SiteOptions):
    """The options of `explain`."""

    site: str | None = flag(None, MAIN, "Folder of the built site  [default: found]", "DIR")
    format: Literal["text", "json"] = FORMAT


@command("explain blog/a.html", "explain https://example.com/blog/", hidden=_HIDDEN_OPTIONS)
def explain(target: str = PAGE, *, options: ExplainOptions) -> None:
    """Explain why a page is listed or not.

    Print the file and the line that decided, and the origin of each value.
    """
    setup = load_setup(options.site, options, site_option="--site FOLDER")
    explanation = run(setup, target, now=now())
    if options.format == "json":
        emit([_json(explanation)])
    else:
        emit(_text(explanation, use_color(sys.stdout)))


def _text(explanation: Explanation, color: bool) -> Iterator[str]:
    """Yields the explanation as lines of text: the decision and its origin, values, warnings.

    - a listed page: `a.html is listed`, and then each value with its origin:
      `lastmod     2026-03-01  (git)`
    - an excluded page: `a.html is not listed: noindex`, and `decided by  a.html:3: …`
    - a URL that is gone: `/b was published and is gone: moved`, and where it leads
    """
    name = paint(shown(explanation.path), BOLD, color)
    match explanation.decision:
        case Listed():
            yield f"{name} is listed"
        case Excluded() as page:
            folder = f" (the folder {shown(page.path)})" if page.is_folder else ""
            yield f"{name} is not listed: {page.reason.value}{folder}"
            yield f"  decided by  {shown(str(page.origin))}"
        case GoneUrl() as gone:
            yield f"{name} was published and is gone: {gone.fate.value}"
            if gone.target:
                yield f"  leads to    {shown(gone.target)}"
            if gone.origin:
                yield f"  decided by  {shown(str(gone.origin))}"
    for key, value, origin in explanation.values:
        suffix = f"  ({shown(origin)})" if origin else ""
        yield f"  {key:10}  {shown(value)}{suffix}"
    for message in explanation.warned:
        text, help = in_words(message)
        yield f"  warning     {text}"
        yield f"  help        {help}"


def _json(explanation: Explanation) -> str:
    """Writes the explanation as a JSON document.

    Only a page that is not listed has the keys `reason` and `origin`, and only a URL that is gone
    has `fate`, `target` and `origin`.
    """
    shape: dict[str, object] = {
        "path": shown(explanation.path),
        "listed": isinstance(explanation.decision, Listed),
    }
    match explanation.decision:
        case Excluded() as page:
            shape |= {"reason": page.reason.name.lower(), "origin": str(page.origin)}
        case GoneUrl() as gone:
            shape |= {
                "fate": gone.fate.value,
                "target": gone.target or None,
                "origin": str(gone.origin) if gone.origin else None,
            }
    shape["values"] = {
        key: {"value": value, "origin": origin} for key, value, origin in explanation.values
    }
    shape["warnings"] = [
        {"kind": message.kind.value, "about": shown(message.subjects[0])}
        for message in explanation.warned
    ]
    return document(shape)
