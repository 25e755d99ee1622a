"""The command line: parse, one call, report. The only place that prints or reads the clock."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from .._version import __version__
from ..errors import SitemapperError, with_help
from .flags import (
    BUILDING,
    CHECKING,
    CONFIGURED,
    EXPLAINING,
    FINDINGS,
    FORMAT,
    REPORT,
    SUBMITTING,
    VALIDATING,
    Flag,
    takes,
)
from .request import (
    STDOUT,
    cache_folder,
    check_target,
    lines_of,
    list_for,
    printing,
    run_settings,
    settings_of,
)
from .signals import end_in_order

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..linter import Finding
    from ..model import Summary
    from .findings import Findings
    from .progress import Bar
    from .report import Report


app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Sitemaps that search engines can trust, from a built static site.",
)


SITE = typer.Argument(None, metavar="SITE", help="Folder of the built site  [default: .]", show_default=False)
PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", "-V", help="Print the version.")) -> None:
    if version:
        typer.echo(f"sitemapper {__version__}")
        raise typer.Exit


@app.command(
    epilog="Examples:  sitemapper build public --base-url https://example.com  |  "
    "sitemapper build --dry-run --excluded -"
)
@takes(*CONFIGURED, *BUILDING)
def build(
    site: str | None = SITE,
    **given: Any,
) -> None:
    """Build the sitemaps of a folder of HTML.

    Write them with their Sitemap: line in robots.txt. Only files that change are written.
    """
    from ..commands.build import build as run
    from ..model import Change
    from . import text as report
    from .observer import RunObserver

    json = given["format"] == REPORT("json")
    to_stdout, started = given["output"] == STDOUT, time.monotonic()
    settings = run_settings(site, given, json=json, to_stdout=to_stdout)
    dry_run = bool(given["dry_run"])
    with (
        list_for(given, "excluded") as excluded,
        list_for(given, "changes") as changes,
        RunObserver(
            excluded,
            changes,
            keep=sys.maxsize if json else 0,
            bar=_bar(settings, given),
            report=_report(given),
        ) as ears,
        printing(settings) if to_stdout else nullcontext(settings) as settings,
    ):
        summary = run(settings, now=_now(), dry_run=dry_run, listener=ears, cache=cache_folder(given))
        ears.end(summary)
    if to_stdout:
        files = (f if f.urls is None else f._replace(name="stdout") for f in summary.files)
        summary = summary._replace(files=tuple(files))
    _write_report(given, ears.report, settings, "Dry run" if dry_run else "Build", summary)
    seconds = time.monotonic() - started
    if given["format"] == REPORT("github"):
        from .findings import build_annotation

        _print([build_annotation(summary)])
    elif not given["quiet"]:
        if json:
            text = report.summary_json(summary, ears.kept, seconds, dry_run=dry_run)
        else:
            stream = sys.stderr if to_stdout else sys.stdout
            style = {"colour": coloured(given, stream), "tree": _shows_trees(stream)}
            verbose = bool(given["verbose"])
            text = report.summary_text(
                summary, ears.examples, seconds, dry_run=dry_run, verbose=verbose, **style
            )
        (say if to_stdout else _print)([text.removesuffix("\n")])
    failed = [tell(given, settings, summary) for tell in (_warned, _untracked)]
    changed = any(file.change is not Change.KEPT for file in summary.files)
    if any(failed) or (given["exit_code"] and changed):
        raise typer.Exit(1)


@app.command(
    epilog="Examples:  sitemapper check public  |  sitemapper check public --against public/other-sitemap.xml"
)
@takes(*CONFIGURED, *CHECKING)
def check(
    site: str | None = SITE,
    **given: Any,
) -> None:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them. With --against, compare another tool's sitemap with the pages.
    """
    from . import findings as report
    from .observer import RunObserver
    from .text import shown

    form = given["format"]
    few = sys.maxsize if given["verbose"] else report.FEW
    keep = {REPORT("github"): 0, REPORT("json"): sys.maxsize}.get(form, few)
    settings = run_settings(site, given, json=form not in (None, REPORT("text"), REPORT("github")))
    if given["against"]:
        return _audit(settings, given)
    if given["baseline"] or given["write_baseline"]:
        raise SitemapperError("--baseline and --write-baseline need --against, or validate")
    from ..commands.check import check as run

    with (
        list_for(given, "excluded") as excluded,
        list_for(given, "changes") as changes,
        RunObserver(excluded, changes, keep=keep, bar=_bar(settings, given), report=_report(given)) as heard,
    ):
        checked = run(settings, now=_now(), listener=heard, cache=cache_folder(given))
        heard.end(checked.summary)
    _write_report(
        given, heard.report, settings, "Check", checked.summary, required=list(map(shown, checked.missing))
    )
    if form == REPORT("json"):
        _print([report.check_json(checked, heard.kept)])
    elif form == REPORT("github"):
        _print(report.check_annotations(checked, settings))
    elif form and form != REPORT("text"):
        found = report.Findings(verbose=True)
        found.gather(report.check_findings(checked, settings))
        _print(_for_machines(found, form.value, strict=False))
    elif not (given["quiet"] and checked.is_same):
        colour, verbose = coloured(given, sys.stdout), bool(given["verbose"])
        _print(report.check_text(checked, heard.kept, colour=colour, verbose=verbose))
    failed = [tell(given, settings, checked.summary) for tell in (_warned, _untracked)]
    if any(failed) or not checked.is_same:
        raise typer.Exit(1)
    return None


@app.command(
    epilog="Examples:  sitemapper validate public  |  curl -s URL | sitemapper validate - --select SM1"
)
@takes(*VALIDATING)
def validate(paths: list[str] = PATHS, **given: Any) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    from ..config.load import severities
    from ..linter import chosen
    from ..linter import validate as run

    codes = chosen(given["select"] or (), given["disable"] or ())
    found = _findings(given)
    findings = run(paths, now=int(_now().timestamp()), codes=codes, on_file=found.read)
    found.gather(_unknown(findings, severities(os.getcwd()), given))
    _tell(found, given, strict=bool(given["strict"]))


@app.command(epilog="Examples:  sitemapper rule  |  sitemapper rule SM203")
def rule(
    code: str | None = typer.Argument(
        None, metavar="CODE", help="A code such as SM203  [default: all, a line each]"
    ),
) -> None:
    """Explain a validation rule.

    Print what it finds, why that matters, and how to fix it. Without a code, list all rules.
    """
    from ..linter import ALL, rule_of
    from . import findings as report

    _print(
        [report.rule_page(rule_of(code), colour=coloured({"color": None}, sys.stdout))]
        if code
        else report.rule_list(ALL)
    )


@app.command(epilog="Examples:  sitemapper submit --changes changes.tsv  |  sitemapper submit --all")
@takes(*SUBMITTING)
def submit(site: str | None = SITE, **given: Any) -> None:
    """Notify search engines of changed URLs.

    Send the URLs that a build listed with --changes, or all published ones, by IndexNow.
    """
    from ..commands.submit import submit as run
    from . import text as report

    if given["changes"] and given["all"]:
        raise SitemapperError("--changes and --all exclude each other")
    if not (given["changes"] or given["all"]):
        raise SitemapperError(
            "submit needs --changes FILE or --all",
            "--changes sends the list that `sitemapper build --changes FILE` wrote; "
            "--all sends every published URL",
        )
    settings = settings_of(site, given)
    dry_run = bool(given["dry_run"])
    wait = 60.0 if given["wait"] is None else given["wait"]

    def pause(seconds: float, why: str) -> None:
        say([] if given["quiet"] else report.note_lines([why], coloured(given, sys.stderr)))
        time.sleep(seconds)

    queue = None if given["changes"] == STDOUT else given["changes"]
    rows = lines_of(given["changes"]) if given["changes"] else None
    done = run(settings, rows, queue=queue, dry_run=dry_run, wait=wait, sleep=pause)
    if given["format"] == FORMAT("json"):
        _print([report.submission_json(done, dry_run=dry_run)])
    elif not given["quiet"]:
        _print(report.submission_text(done, settings.submit.endpoint, dry_run=dry_run))
    if not (done.is_complete or dry_run):
        raise typer.Exit(1)


@app.command(
    epilog="Examples:  sitemapper explain blog/a.html  |  sitemapper explain https://example.com/blog/"
)
@takes(Flag("--site", str, "Folder of the built site  [default: .]", metavar="DIR"), *CONFIGURED, *EXPLAINING)
def explain(
    target: str = typer.Argument(..., metavar="PAGE", help="A page: its path in the site, or its URL."),
    **given: Any,
) -> None:
    """Explain why a page is listed or not.

    Print the file and the line that decided, and where each of its values comes from.
    """
    from ..commands.explain import explain as answer
    from . import text as report

    found = answer(settings_of(given["site"], given), target, now=_now())
    if given["format"] == FORMAT("json"):
        typer.echo(report.explanation_json(found), nl=False)
    else:
        typer.echo(report.explanation_text(found, coloured(given, sys.stdout)), nl=False, color=True)


@app.command(epilog="Examples:  sitemapper init  |  sitemapper init public")
def init(
    site: str | None = typer.Argument(
        None, metavar="SITE", help="Folder of the built site  [default: the generator's]"
    ),
    indexnow: bool = typer.Option(False, "--indexnow", help="Make a key for `sitemapper submit`."),
) -> None:
    """Write a first sitemapper.toml.

    Propose settings for the generator of the project. An existing file is never replaced.
    """
    import secrets

    from ..commands.init import detect
    from ..output.write import create

    text, said = detect(site, os.getcwd())
    key = f'key = "{secrets.token_hex(16)}"' if indexnow else ""
    text += f"\n[submit]\n{key}  # for IndexNow\n" if key else ""
    end_in_order()
    try:
        create(os.path.join(os.getcwd(), "sitemapper.toml"), text)
    except FileExistsError:
        advice = f"add the table [submit] to it, with {key}" if key else "move it away first"
        raise SitemapperError("sitemapper.toml: already exists and is not replaced", advice) from None
    except OSError as error:
        problem, advice = f"cannot be written: {error.strerror}", "free disk space or fix the permissions"
        raise SitemapperError(f"sitemapper.toml: {problem}", advice) from None
    for sentence in said:
        typer.echo(sentence)
    typer.echo("wrote sitemapper.toml; review it, then run: sitemapper build --dry-run")


@app.command()
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml.

    Editors complete and check the file with it.
    """
    import json

    from ..config.settings import Config

    shape = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
    typer.echo(json.dumps(shape, indent=2))


def _audit(settings: Settings, given: dict[str, Any]) -> None:
    from ..commands.compare import compare
    from .text import shown

    if given["excluded"] or given["changes"] or given["tracked"]:
        raise SitemapperError(
            "--against cannot be combined with --excluded, --changes or --tracked", "leave out --against"
        )
    found, report = _findings(given), _report(given)
    findings = compare(settings, given["against"], now=_now(), read=found.read, listener=report)
    findings = _unknown(findings, settings.severities, given)
    found.gather(report.found(findings) if report else findings)
    theirs = [(shown(name), entries) for name, entries in found.files]
    _write_report(given, report, settings, f"Check against {shown(given['against'])}", theirs=theirs)
    _tell(found, given, strict=settings.strict)


def _bar(settings: Settings, given: dict[str, Any]) -> Bar:
    """The progress of a run, whose total is the number of URLs published before."""
    from ..output.published import count
    from .progress import Bar

    return Bar(partial(count, settings), quiet=bool(given["quiet"]) or not sys.stderr.isatty())


def _shows_trees(stream: Any) -> bool:
    """Whether a stream is a terminal that can draw lines."""
    is_utf8 = str(stream.encoding).lower().replace("-", "") == "utf8"
    return bool(stream.isatty()) and is_utf8 and os.environ.get("TERM") != "dumb"


def _report(given: dict[str, Any]) -> Report | None:
    """What gathers the report that a flag asks for."""
    target = given["report"]
    if not target:
        return None
    from .report import Report, is_report

    if target == STDOUT:
        raise SitemapperError("--report -: a report is not printed", "name a file such as report.html")
    check_target("report", target)
    if os.path.isfile(target) and not is_report(target):
        problem = f"--report: {target}: is not a report, so it is not replaced"
        raise SitemapperError(problem, "name another file")
    return Report()


def _write_report(
    given: dict[str, Any],
    report: Report | None,
    settings: Settings,
    title: str,
    summary: Summary | None = None,
    **more: Any,
) -> None:
    if report is None:
        return
    from ..output.write import os_errors_as_publish_error, replace
    from .report import about
    from .text import note_lines

    more |= about(summary) | {"done": not given.get("dry_run", True)} if summary else {}
    with os_errors_as_publish_error(given["report"]):
        replace(given["report"], report.page(title, settings.base_url, _now(), **more))
    if not given["quiet"]:
        say(note_lines([f"wrote {given['report']}"], coloured(given, sys.stderr)))


def _warned(given: dict[str, Any], settings: Settings, summary: Summary) -> bool:
    """Prints the warnings, and returns whether they are a failure."""
    from .text import warning_lines

    failed = settings.strict and bool(summary.warnings)
    if given["format"] == REPORT("github"):
        # Imported here: other formats need no linter.
        from .findings import warning_annotations

        _print(warning_annotations(summary))
    elif failed or not given["quiet"]:
        say(warning_lines(summary, coloured(given, sys.stderr), notes=not given["quiet"]))
    return failed


def _untracked(given: dict[str, Any], settings: Settings, summary: Summary) -> bool:
    """Prints which files of the sitemap git does not track, and returns whether there are any."""
    if not given["tracked"]:
        return False
    from ..lastmod.git import GitError, untracked
    from .findings import place
    from .text import error_lines

    files = [place(file.name, settings) for file in summary.files]
    try:
        found = untracked([file for file in files if os.path.exists(file)])
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None
    for file in found:
        message = with_help(f"{file}: is not tracked by git", f"git add {file}")
        say(error_lines(message, coloured(given, sys.stderr)))
    return bool(found)


def _tell(found: Findings, given: dict[str, Any], *, strict: bool) -> None:
    """What was found, in the form that is asked for. Raises Exit with 1 if it fails."""
    if given["format"] == REPORT("json"):
        _print([found.json()])
    elif given["format"] == REPORT("github"):
        _print(found.annotations())
    elif given["format"] and given["format"] != REPORT("text"):
        _print(_for_machines(found, given["format"].value, strict=strict))
    else:
        _print(found.text(colour=coloured(given, sys.stdout), quiet=bool(given["quiet"]), strict=strict))
    if found.fail(strict=strict):
        raise typer.Exit(1)


def _findings(given: dict[str, Any]) -> Findings:
    """What counts findings and keeps those that are shown: up to 5,000 for SARIF, as GitHub takes them."""
    from .findings import Findings

    if given["format"] == FINDINGS("sarif"):
        return Findings(verbose=True, most=5000)
    return Findings(verbose=bool(given["verbose"]))


def _unknown(
    findings: Iterable[Finding], severities: Mapping[str, str], given: dict[str, Any]
) -> Iterator[Finding]:
    """The findings with their configured severities, without those that a baseline knows."""
    from ..linter import apply_severities

    if given["baseline"] and given["write_baseline"]:
        raise SitemapperError("--baseline and --write-baseline exclude each other")
    findings = apply_severities(findings, severities)
    if not (given["baseline"] or given["write_baseline"]):
        yield from findings
        return
    from ..output.write import os_errors_as_publish_error, replace
    from .baseline import Baseline
    from .text import note_lines

    if given["baseline"]:
        known = Baseline(given["baseline"])
        yield from known.unknown(findings, _now().date())
        say(note_lines(known.notes(), coloured(given, sys.stderr)))
        return
    target = given["write_baseline"]
    check_target("write-baseline", target)
    text = Baseline(target if os.path.isfile(target) else os.devnull).text(findings)
    with os_errors_as_publish_error(target):
        replace(target, text)
    say(note_lines([f"wrote {target}"], coloured(given, sys.stderr)))


def _for_machines(found: Findings, form: str, *, strict: bool) -> Iterable[str]:
    from . import machines

    if form == "junit":
        return machines.junit(found, strict=strict)
    return machines.sarif(found) if form == "sarif" else machines.markdown(found)


def _print(lines: Iterable[str]) -> None:
    """Results, to stdout."""
    for line in lines:
        typer.echo(line, color=True)
    sys.stdout.flush()


def _now() -> datetime:
    return datetime.now(UTC)


def say(lines: Iterable[str]) -> None:
    """Talk, to stderr."""
    for line in lines:
        typer.echo(line, err=True, color=True)


def coloured(given: dict[str, Any], stream: Any) -> bool:
    """Whether a stream is to have colours."""
    choice = given["color"].value if given["color"] else "auto"
    if choice == "auto":
        return bool(stream.isatty()) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return bool(choice == "always")
