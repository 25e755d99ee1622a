"""`submit` on the command line."""

import os
import sys
from typing import Annotated, Literal, NamedTuple

from ..messages import SitemapperError, count
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
    """Sends the URLs of a list to a search engine, and prints what was sent.

    Returns the exit code: 1 if the engine has not accepted all of them. A dry run only prints the
    list. Raises SitemapperError for what a user can mend.
    """
    from ..commands.submit import describe_answer, submit
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
    run_settings = Run(cwd, os.environ, is_dry=flags.dry_run)
    client = Client(os.environ)

    result = submit(flags.changes, sys.stdin, config, run_settings, client)
    engine = config.settings.submit.endpoint
    if flags.format == "json":
        urls_by_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for change in result.changes:
            urls_by_kind[change.kind].append(change.url)
        requests = [
            {
                "urls": number,
                "endpoint": engine,
                "status": answer.status,
                "said": describe_answer(answer),
            }
            for number, answer in result.requests
        ]
        fields = {
            "dry_run": flags.dry_run,
            "changes": urls_by_kind,
            "left": result.left,
            "requests": requests,
        }
        emit(document(fields, result.messages))
    elif flags.dry_run:
        emit(map(str, result.changes))
    elif result.changes:
        for number, answer in result.requests:
            urls_sent = count(number, "URL")
            emit([shown(f"{urls_sent} sent to {engine}: {describe_answer(answer)}")])
        if result.left:
            urls_left = count(result.left, "URL")
            emit([f"{urls_left} left in {flags.changes}"])
    else:
        emit(["nothing to send"])
    for message in result.messages:
        tell(message.severity, message.text, message.help)
    return 1 if result.left else 0
