"""`submit` on the command line."""

import os
import sys
from typing import Annotated, Literal, NamedTuple

from ..errors import SitemapperError
from ..messages import count
from .console import emit, shown, tell
from .options import MAIN, flag


class SubmitFlags(NamedTuple):
    """The flags of submit."""

    changes: Annotated[
        str | None,
        flag("--changes", MAIN, "Send the URLs in the list of a build (- for stdin).", "FILE"),
    ] = None
    key: Annotated[str | None, flag("--key", MAIN, "The key for IndexNow.", "KEY")] = None
    dry_run: Annotated[
        bool, flag("--dry-run", MAIN, "Print what would be sent, without sending anything.")
    ] = False
    format: Annotated[Literal["text", "json"], flag("--format", MAIN, "Format of the result.")] = (
        "text"
    )


def run(site: str | None, flags: SubmitFlags) -> int:
    """Sends a list, prints what was sent, and returns the exit code: 1 if some of it is left.

    Raises SitemapperError for what a user can mend.
    """
    from ..commands.submit import said, submit
    from ..config import load
    from ..model import Run
    from ..net import Client
    from .render import KINDS, document

    if not flags.changes:
        raise SitemapperError(
            "submit needs --changes FILE", "pass the list of `sitemapper build --changes FILE`"
        )
    cwd = os.getcwd()
    config = load({"site": site, "submit.key": flags.key}, cwd, os.environ)
    of_run = Run(cwd, os.environ, is_dry=flags.dry_run)
    client = Client(os.environ)
    done = submit(flags.changes, sys.stdin, config, of_run, client)
    engine = config.settings.submit.endpoint
    if flags.format == "json":
        urls: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for change in done.changes:
            urls[change.kind].append(change.url)
        requests = [
            {"urls": number, "endpoint": engine, "status": answer.status, "said": said(answer)}
            for number, answer in done.requests
        ]
        shape = {"dry_run": flags.dry_run, "changes": urls, "left": done.left, "requests": requests}
        emit(document(shape, done.messages))
    elif flags.dry_run:
        emit(map(str, done.changes))
    elif done.changes:
        for number, answer in done.requests:
            part = count(number, "URL")
            emit([shown(f"{part} sent to {engine}: {said(answer)}")])
        if done.left:
            left = count(done.left, "URL")
            emit([f"{left} left in {flags.changes}"])
    else:
        emit(["nothing to send"])
    for message in done.messages:
        tell(message.severity, message.text, message.help)
    return 1 if done.left else 0
