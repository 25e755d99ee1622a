"""The command line: parse, one call, report. The only place that prints or reads the clock."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, TextIO
from urllib.parse import urlsplit

import typer

from .._version import __version__
from ..errors import SitemapperError, with_help, write_advice
from .options import (
    STDOUT,
    BuildOptions,
    CheckOptions,
    ExplainOptions,
    SubmitOptions,
    ValidateOptions,
    VerifyOptions,
)
from .parameters import Command, takes
from .request import (
    cache_folder,
    changed_urls,
    check_target,
    input_lines,
    is_stream,
    load_settings,
    output_list,
    run_settings,
    secret_headers,
    stdout_output,
    verify_scope,
)
from .signals import end_in_order

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..model import Summary
    from .findings import Findings
    from .observer import RunObserver
    from .report import Report


app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Sitemaps that search engines can trust, from a built static site.",
)


@cache
def command_line() -> Callable[..., int | None]:
    """The command line as click runs it; made once a process, because it takes 5 ms."""
    return typer.main.get_command(app)


def _command(*examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return app.command(cls=Command, epilog="\n".join(f"sitemapper {example}" for example in examples))


SITE = typer.Argument(None, metavar="SITE", help="Folder of the built site  [default: .]", show_default=False)
SITEMAP_URL = typer.Argument(
    None,
    metavar="SITEMAP_URL",
    help="A live sitemap  [default: that of the project]",
    show_default=False,
)
PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", "-V", help="Print the version.")) -> None:
    if version:
        typer.echo(f"sitemapper {__version__}")
        raise typer.Exit


@_command("build", "build public --base-url https://example.com", "build --dry-run --excluded -")
@takes(BuildOptions)
def build(site: str | None = SITE, *, options: BuildOptions) -> None:
    """Build the sitemaps of a folder of HTML.

    Write them with their Sitemap: line in robots.txt. Only files that change are written.
    """
    from ..commands.build import build as run
    from ..model import Change
    from . import text as report

    started, dry_run = time.monotonic(), options.dry_run
    settings = run_settings(site, options)
    to_stdout = options.output == STDOUT
    output = stdout_output(settings) if to_stdout else nullcontext(settings)
    with _observe(options, settings, keep=0) as observer, output as settings:
        summary = run(settings, now=_now(), dry_run=dry_run, observer=observer, cache=cache_folder(options))
    summary = _shown_summary(summary, options)
    if options.report and not options.quiet:
        _tell("note", [f"wrote {options.report}"], options.color)
    seconds = time.monotonic() - started
    if options.format == "github":
        from .github import build_annotation, write_run

        _print([build_annotation(summary)])
        write_run("build", summary, observer, options.changes)
    elif not options.quiet:
        if options.format == "json":
            text = report.summary_json(summary, observer.kept, seconds, dry_run=dry_run)
        else:
            color = use_color(options.color, sys.stderr if to_stdout else sys.stdout)
            examples = observer.examples if options.verbose else None
            text = report.summary_text(summary, examples, seconds, dry_run=dry_run, color=color)
        (echo_err if to_stdout else _print)([text])
    is_changed = any(file.change is not Change.KEPT for file in summary.files)
    if _print_failures(options, settings, summary, observer) or (options.exit_code and is_changed):
        raise typer.Exit(1)


@_command("check", "check public --against public/other.xml")
@takes(CheckOptions, hidden=("allow_empty",))
def check(site: str | None = SITE, *, options: CheckOptions) -> None:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them. With --against, compare another tool's sitemap with the pages.
    """
    from . import findings as report

    if options.against:
        return _compare(run_settings(site, options), options.against, options)
    from ..commands.check import check as run

    settings = run_settings(site, options)
    few = sys.maxsize if options.verbose else report.FEW
    with _observe(options, settings, keep=few) as observer:
        checked = run(settings, now=_now(), observer=observer, cache=cache_folder(options))
    if options.format == "json":
        _print([report.check_json(checked, observer.kept)])
    elif options.format == "github":
        from .github import check_annotations, write_run

        _print(check_annotations(checked, settings))
        write_run("check", checked.summary, observer, options.changes, checked)
    elif options.format != "text":
        findings = report.Findings(verbose=True)
        findings.gather(report.check_findings(checked, settings))
        _print(_formatted(findings, options.format, strict=False))
    elif not (options.quiet and checked.is_same):
        color = use_color(options.color, sys.stdout)
        _print(report.check_text(checked, observer.kept, color=color, verbose=options.verbose))
    if _print_failures(options, settings, checked.summary, observer) or not checked.is_same:
        raise typer.Exit(1)
    return None


@_command("validate public", "validate public/sitemap.xml --select SM1")
@takes(ValidateOptions)
def validate(paths: list[str] = PATHS, *, options: ValidateOptions) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    from ..config.load import severities
    from ..linter import apply_severities, chosen
    from ..linter import validate as run

    codes = chosen(options.select, options.disable)
    findings = _findings(options)
    reported = run(paths, now=int(_now().timestamp()), codes=codes, on_file=findings.read)
    findings.gather(apply_severities(reported, severities(os.getcwd())))
    _print_findings(findings, options, strict=options.strict)


@_command("verify", "verify --changes changes.tsv --wait 120")
@takes(VerifyOptions)
def verify(sitemap: str | None = SITEMAP_URL, *, options: VerifyOptions) -> None:
    """Verify what the live host answers.

    Ask for robots.txt, the sitemap and the URLs in it. Exit with 1 if there is an error.
    """
    from ..commands.verify import verify as run
    from ..linter import apply_severities, chosen
    from .progress import Bar

    codes = chosen(options.select, options.disable, is_live=True)
    if bool(options.sample) + options.all + bool(options.changes) > 1:
        raise SitemapperError("--sample, --all and --changes exclude each other")
    scope, settings = verify_scope(sitemap, options)
    headers, rows = secret_headers(options), changed_urls(options, settings)
    # Imported here: urllib3 is an extra.
    from ..net.client import Client, is_private_name
    from ..net.fetcher import Fetcher

    public_only = not is_private_name(urlsplit(scope.at).hostname or "")
    connect = partial(Client, settings.proxies, deadline=options.timeout, public_only=public_only)
    total = 0

    def progress(done: int, planned: int) -> None:
        nonlocal total
        total = planned
        bar.show(f"{fetcher.rate:g}/s" if fetcher.rate else "verify", done, done)

    with (
        Fetcher(connect, headers, options.rate, options.max_time) as fetcher,
        Bar(lambda: total, quiet=options.quiet or not sys.stderr.isatty()) as bar,
    ):
        done = run(
            scope,
            settings,
            fetcher,
            now=int(_now().timestamp()),
            sample=None if options.all else options.sample or 200,
            rows=rows,
            wait=options.wait,
            is_built=sitemap is None,
            progress=progress,
        )
    findings = _findings(options)
    for name, entries in done.files:
        findings.read(name, entries)
    reported = (finding for finding in done.findings if finding.code in codes)
    findings.gather(apply_severities(reported, settings.severities))
    if not options.quiet:
        _tell("note", done.notes, options.color)
    try:
        _print_findings(findings, options, strict=options.strict)
    except typer.Exit:
        if done.judged:
            raise
    if not done.judged:
        raise typer.Exit(2)


@_command("rule SM203", "rule")
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

    page = [report.rule_page(rule_of(code), color=use_color("auto", sys.stdout))] if code else None
    _print(page or report.rule_list(ALL))


@_command("submit --changes changes.tsv", "submit --all")
@takes(SubmitOptions)
def submit(site: str | None = SITE, *, options: SubmitOptions) -> None:
    """Notify search engines of changed URLs.

    Send the URLs that a build listed with --changes, or all published ones, by IndexNow.
    """
    from ..commands.submit import submit as run
    from . import text as report

    if options.changes and options.all:
        raise SitemapperError("--changes and --all exclude each other")
    if not (options.changes or options.all):
        raise SitemapperError(
            "submit needs --changes FILE or --all",
            "--changes sends the list that `sitemapper build --changes FILE` wrote; "
            "--all sends every published URL",
        )
    settings = load_settings(site, options)

    def pause(seconds: float, why: str) -> None:
        if not options.quiet:
            _tell("note", [why], options.color)
        time.sleep(seconds)

    queue = None if options.changes == STDOUT else options.changes
    rows = input_lines(options.changes) if options.changes else None
    done = run(settings, rows, queue=queue, dry_run=options.dry_run, wait=options.wait, sleep=pause)
    if options.format == "json":
        _print([report.submission_json(done, dry_run=options.dry_run)])
    elif not options.quiet:
        _print(report.submission_text(done, settings.submit.endpoint, dry_run=options.dry_run))
    if not (done.is_complete or options.dry_run):
        raise typer.Exit(1)


@_command("explain blog/a.html", "explain https://example.com/blog/")
@takes(
    ExplainOptions,
    hidden=("text", "gzip", "index", "max_urls", "max_bytes", "robots", "max_drop", "strict"),
)
def explain(
    target: str = typer.Argument(..., metavar="PAGE", help="A page: its path in the site, or its URL."),
    *,
    options: ExplainOptions,
) -> None:
    """Explain why a page is listed or not.

    Print the file and the line that decided, and where each of its values comes from.
    """
    from ..commands.explain import explain as run
    from . import text as report

    explanation = run(load_settings(options.site, options), target, now=_now())
    if options.format == "json":
        _print([report.explanation_json(explanation)])
    else:
        _print([report.explanation_text(explanation, use_color(options.color, sys.stdout))])


@_command("init", "init public")
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

    from ..commands.init import propose
    from ..output.write import create

    folder, text, remarks = propose(site, os.getcwd())
    name = os.path.relpath(os.path.join(folder, "sitemapper.toml"))
    key = f'key = "{secrets.token_hex(16)}"' if indexnow else ""
    text += f"\n[submit]\n{key}  # for IndexNow\n" if key else ""
    end_in_order()
    try:
        create(os.path.join(folder, "sitemapper.toml"), text)
    except FileExistsError:
        advice = f"add the table [submit] to it, with {key}" if key else "move it away first"
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(f"{name}: cannot be written: {error.strerror}", write_advice(error)) from None
    for sentence in remarks:
        typer.echo(sentence)
    typer.echo(f"wrote {name}; review it, then run: sitemapper build --dry-run")


@_command("schema")
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml.

    Editors complete and check the file with it.
    """
    import json

    from ..config.settings import Config

    shape = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
    typer.echo(json.dumps(shape, indent=2))


def _compare(settings: Settings, against: str, options: CheckOptions) -> None:
    from ..commands.compare import compare
    from ..linter import apply_severities

    if options.excluded or options.changes or options.tracked:
        raise SitemapperError(
            "--against cannot be combined with --excluded, --changes or --tracked", "leave out --against"
        )
    findings = _findings(options)
    reported = compare(settings, against, now=_now(), read=findings.read)
    findings.gather(apply_severities(reported, settings.severities))
    _print_findings(findings, options, strict=settings.strict)


@contextmanager
def _observe(options: BuildOptions | CheckOptions, settings: Settings, *, keep: int) -> Iterator[RunObserver]:
    """The observer of a run, with its lists. `keep` is how many changes of a kind the text shows."""
    from ..output.published import count
    from ..pipeline.stats import EXAMPLES
    from .observer import RunObserver
    from .progress import Bar

    keep = {"github": EXAMPLES, "json": sys.maxsize}.get(options.format, keep)
    report = _report(options) if isinstance(options, BuildOptions) else None

    def files(summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        for target, rows in ((options.excluded, excluded), (options.changes, changes)):
            if target and rows and not is_stream(target):
                rows.seek(0)
                yield target, map(str.encode, iter(partial(rows.read, 1 << 20), ""))
        if isinstance(options, BuildOptions) and options.report and report:
            shown = _shown_summary(summary, options)
            page = report.page(shown, settings.base_url, _now(), is_done=not options.dry_run)
            yield options.report, [page.encode()]

    with (
        output_list("--excluded", options.excluded) as excluded,
        output_list("--changes", options.changes) as changes,
        # The number of URLs published before is the total of the progress.
        Bar(partial(count, settings), quiet=options.quiet or not sys.stderr.isatty()) as bar,
    ):
        observer = RunObserver(excluded, changes, keep=keep, bar=bar, report=report, files=files)
        observer.untracked = _untracked_pages(settings) if options.tracked else set()
        yield observer


def _shown_summary(summary: Summary, options: BuildOptions) -> Summary:
    """The summary of a build; with `--output -`, its sitemap is named stdout."""
    if options.output != STDOUT:
        return summary
    files = (f if f.urls is None else f._replace(name="stdout") for f in summary.files)
    return summary._replace(files=tuple(files))


def _untracked_pages(settings: Settings) -> set[str]:
    """The pages of the site that git does not track, if it tracks others."""
    from ..lastmod.git import GitError, untracked_pages
    from ..site.walk import folder, is_candidate

    root = folder(settings.site, settings.ignore_lines, settings.include)
    try:
        return untracked_pages(settings.site, settings.project, partial(is_candidate, root))
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None


def _report(options: BuildOptions) -> Report | None:
    """The observer that gathers a report, if there is to be one."""
    target = options.report
    if not target:
        return None
    from .report import Report, is_report

    if target == STDOUT:
        raise SitemapperError("--report -: a report is not printed", "name a file such as report.html")
    check_target("--report", target)
    if os.path.isfile(target) and not is_report(target):
        problem = f"--report: {target}: is not a report, so it is not replaced"
        raise SitemapperError(problem, "name another file")
    return Report()


def _print_failures(
    options: BuildOptions | CheckOptions, settings: Settings, summary: Summary, observer: RunObserver
) -> bool:
    """Prints the warnings and what git does not track, and returns whether they fail the run."""
    from .text import warning_text

    is_failure = settings.strict and bool(summary.warnings)
    if options.format == "github":
        # Imported here: other formats need no linter.
        from .github import warning_annotations

        _print(warning_annotations(summary))
    elif is_failure or not options.quiet:
        _tell("warning", (warning_text(*warning) for warning in summary.warnings), options.color)
        _tell("note", () if options.quiet else summary.notes, options.color)
    pages = sorted(observer.untracked)
    return (options.tracked and _print_untracked(options.color, settings, summary, pages)) or is_failure


def _print_untracked(color: str, settings: Settings, summary: Summary, pages: Sequence[str]) -> bool:
    """Prints which files of the sitemap and which listed pages git does not track; whether there are any."""
    from ..lastmod.git import GitError, untracked
    from .findings import FEW, place

    files = [place(file.name, settings) for file in summary.files]
    try:
        missing = untracked([file for file in files if os.path.exists(file)], settings.project)
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None
    problems = [(f"{file}: is not tracked by git", f"git add {file}") for file in missing]
    site = settings.display_path(settings.site)
    files = [f"{site}/{page}" for page in pages[:FEW]]
    problems += [(f"{file}: is listed, but not tracked by git", f"git add {file}") for file in files]
    if more := len(pages) - len(files):
        problems.append((f"{more:,} more listed pages are not tracked by git", f"git add {site}"))
    _tell("error", (with_help(*problem) for problem in problems), color)
    return bool(problems)


def _print_findings(findings: Findings, options: CheckOptions | ValidateOptions, *, strict: bool) -> None:
    """Prints findings in the format of the options. Raises Exit with 1 if they fail the check."""
    if options.format == "json":
        _print([findings.json()])
    elif options.format == "github":
        from .github import finding_annotations, write_findings

        _print(finding_annotations(findings))
        write_findings("check" if isinstance(options, CheckOptions) else "validate", findings)
    elif options.format != "text":
        _print(_formatted(findings, options.format, strict=strict))
    else:
        color = use_color(options.color, sys.stdout)
        _print(findings.text(color=color, quiet=options.quiet, strict=strict))
    if findings.fail(strict=strict):
        raise typer.Exit(1)


def _findings(options: CheckOptions | ValidateOptions) -> Findings:
    """What counts findings and keeps those that are shown: up to 5,000 for SARIF, as GitHub takes them."""
    from .findings import Findings

    if options.format == "sarif":
        return Findings(verbose=True, most=5000)
    return Findings(verbose=options.verbose)


def _formatted(findings: Findings, format: str, *, strict: bool) -> Iterable[str]:
    """Findings for other programs."""
    from . import formats

    if format == "junit":
        return formats.junit(findings, strict=strict)
    return formats.sarif(findings) if format == "sarif" else formats.markdown(findings)


def _print(lines: Iterable[str]) -> None:
    """Results, to stdout."""
    for line in lines:
        typer.echo(line, color=True)
    sys.stdout.flush()


def _tell(kind: Literal["error", "warning", "note"], messages: Iterable[str], color: str) -> None:
    """Messages with their help, to stderr."""
    from .text import message_lines

    for message in messages:
        echo_err(message_lines(kind, message, use_color(color, sys.stderr)))


def _now() -> datetime:
    return datetime.now(UTC)


def echo_err(lines: Iterable[str]) -> None:
    """Messages, to stderr."""
    for line in lines:
        typer.echo(line, err=True, color=True)


def use_color(choice: str, stream: TextIO) -> bool:
    """Whether a stream is to have colours."""
    if choice == "auto":
        return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return choice == "always"
