"""`verify` on the command line."""

import os
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Annotated, NamedTuple

from ..messages import Message, SitemapperError, count
from .console import Bar
from .options import MAIN, THIS_RUN, FindingFlags, flag


class VerifyFlags(NamedTuple):
    """The flags of verify alone."""

    sample: Annotated[
        int, flag("--sample", MAIN, "Request N of the listed URLs, evenly spread.", "N", min=1)
    ] = 200  # in 20 seconds at 10 a second
    all: Annotated[bool, flag("--all", MAIN, "Request every listed URL.")] = False
    changes: Annotated[
        str | None,
        flag("--changes", MAIN, "Request the URLs in the list of a build (- for stdin).", "FILE"),
    ] = None
    at: Annotated[
        str | None, flag("--at", MAIN, "Send the requests to a preview of the site.", "ORIGIN")
    ] = None
    wait: Annotated[
        float,
        flag("--wait", MAIN, "Wait for the built sitemap to go live.", "SECONDS", min=0),
    ] = 0
    rate: Annotated[
        float,
        flag("--rate", THIS_RUN, "Requests a second; 0 for no limit.", "N", min=0),
    ] = 10
    header: Annotated[
        list[str] | None,
        flag(
            "--header",
            THIS_RUN,
            "Send the host a header with the value of a variable  [repeatable]",
            "NAME=ENVVAR",
        ),
    ] = None


def run(url: str | None, flags: FindingFlags, only: VerifyFlags) -> int:
    """Verifies the live site, prints what was found, and returns the exit code.

    It is 1 for an error, and 2 if nothing could be checked, because the host did not answer or
    refused every request. Raises SitemapperError for what a user can mend.
    """
    from ..commands.changes import read_changes
    from ..commands.submit import read_list
    from ..commands.target import find_target
    from ..commands.verify import verify
    from ..config import load
    from ..linter import chosen
    from ..model import Run
    from ..net import Client
    from .findings import Report, print_report

    # What to verify, and how to ask for it.
    codes = chosen(flags.select, flags.disable, is_live=True)
    cwd = os.getcwd()
    config = load({"strict": flags.strict}, cwd, os.environ)
    target = find_target(url, only.at, config, Run(cwd, os.environ))
    changes = None
    if only.changes:
        changes = read_changes(read_list(only.changes, sys.stdin), only.changes)
    secret = _secret(only.header or ())
    client = Client(
        os.environ, origin=target.requested, secret=secret, rate=only.rate, timeout=20.0
    )
    sample = None if only.all else only.sample
    now = int(datetime.now(UTC).timestamp())
    with closing(Bar(is_quiet=flags.quiet)) as bar:
        verified = verify(
            target,
            client,
            sample=sample,
            changes=changes,
            wait=only.wait,
            now=now,
            observer=bar,
        )

    # What to print.
    findings = [finding for finding in verified.findings if finding.code in codes]
    messages: list[Message] = []
    if verified.advice:
        text = "the host shows pages at other URLs"
        messages.append(Message("note", "redirects", text, verified.advice))
    facts = {
        "listed": verified.listed,
        "requested": verified.requested,
        "checked": verified.is_checked,
        "advice": verified.advice or None,
    }
    listed = count(verified.listed, "URL")
    summary = f"{verified.requested:,} of {listed} requested"
    report = Report("verify", findings, verified.sitemaps, messages, summary, facts)
    code = print_report(report, flags, is_strict=config.settings.strict)
    return code if verified.is_checked else 2


def _secret(texts: Sequence[str]) -> dict[str, str]:
    """The secret headers that --header asks for, with their values from the environment.

    `Authorization=TOKEN` is the header Authorization with the value of the variable TOKEN. The
    value itself must not stand in a command line, which other users of the machine can read. Raises
    SitemapperError for a wrong name or value.
    """
    headers: dict[str, str] = {}
    for text in texts:
        name, _, variable = text.partition("=")
        value = os.environ.get(variable, "")
        # Only printable characters: a line break in the value would begin another header.
        if not re.fullmatch(r"[A-Za-z0-9-]+: [ -~]+", f"{name}: {value}"):
            raise SitemapperError(
                f"--header: {name}: is no name of a header, or its variable is not set",
                "write NAME=ENVVAR, where the variable has the value on one line",
            )
        headers[name] = value
    return headers
