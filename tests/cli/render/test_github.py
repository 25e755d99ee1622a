"""`--format github`: annotations, the summary of a job and the outputs of a step."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, Run, Site

from sitemapper.cli.render.github import annotation


@pytest.fixture
def workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The files that GitHub names for a step."""
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs.txt"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(outputs))
    return summary, outputs


def test_a_build_adds_to_the_files_of_the_workflow(
    site: Site, run: Run, workflow: tuple[Path, Path]
) -> None:
    summary, outputs = workflow
    summary.write_text("earlier\n")
    folder = site({"index.html": "", "a.html": "", "robots.txt": f"Sitemap: {BASE}old.xml\n"})
    command = ("build", folder, "--base-url", BASE, "--format", "github")
    assert run(*command) == 0
    assert run.out.splitlines() == [
        f"::notice title=sitemap::{BASE}sitemap.xml: 2 listed, 2 added",
        f"::warning title=sitemap::robots.txt lists a sitemap that does not exist: {BASE}old.xml"
        "%0Ahelp: remove the line from robots.txt",
    ]
    assert run.err == ""
    text = summary.read_text()
    assert text.startswith(
        f"earlier\n### sitemapper build\n\n```text\n{BASE}sitemap.xml\n  2 pages"
    )
    assert text.endswith(
        f"warning: robots.txt lists a sitemap that does not exist: {BASE}old.xml\n"
        "  help: remove the line from robots.txt\n```\n"
    )
    assert outputs.read_text().splitlines() == [
        f"sitemap={BASE}sitemap.xml", "listed=2", "excluded=0", "added=2", "changed=0", "removed=0",
    ]  # fmt: skip
    assert run(*command, "--strict", "--quiet") == 1
    assert run.out.startswith("::notice title=sitemap::")


def test_lost_urls_are_one_annotation_and_a_line(
    site: Site, run: Run, workflow: tuple[Path, Path]
) -> None:
    folder = site({f"{n}.html": "<p>" for n in range(9)})
    assert run("build", folder, "--base-url", BASE) == 0
    for n in range(4):
        (folder / f"{n}.html").unlink()
    first = "; ".join(f"{BASE}{n}.html" for n in range(3))
    lost = f"4 published URLs have neither a page nor a redirect now: {first}; and 1 more%0A"
    assert run("check", folder, "--base-url", BASE, "--format", "github") == 1
    outdated, annotated = run.out.splitlines()
    assert outdated.startswith("::error file=public/sitemap.xml,line=1,title=sitemap out of date::")
    assert annotated.startswith(f"::warning title=lost::{lost}")
    assert f"\nlost: {BASE}0.html\n" in workflow[0].read_text()
    assert run("build", folder, "--base-url", BASE, "--format", "github") == 0
    [annotated] = run.out.splitlines()[1:]
    assert annotated.startswith(f"::notice title=lost::{lost}")
    assert "\n  4 URLs gone: 4 lost" in workflow[0].read_text()
    (folder.parent / "sitemapper.toml").write_text('[check]\nrequired = ["/pricing/"]\n')
    assert run("check", folder, "--base-url", BASE, "--format", "github") == 1
    assert run.out.startswith("::error title=required page::")


def test_a_summary_that_cannot_be_written_is_a_warning(
    site: Site, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "folder"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "no/outputs.txt"))
    folder = site({"index.html": "<p>"})
    # Below the root of a host, a note names the line for its robots.txt, but no annotation does.
    assert run("build", folder, "--base-url", f"{BASE}docs/", "--format", "github") == 0
    assert (folder / "sitemap.xml").exists()
    assert run.out.splitlines()[1:] == [
        f"::warning title=sitemap::GITHUB_STEP_SUMMARY: {tmp_path}/folder: Is a directory",
        f"::warning title=sitemap::GITHUB_OUTPUT: {tmp_path}/no/outputs.txt: No such file or directory",
    ]
    (folder / "s.txt").write_text("a\n")
    assert run("validate", folder / "s.txt", "--format", "github") == 1
    assert "::warning title=sitemap::GITHUB_STEP_SUMMARY: " in run.out


def test_findings_come_worst_first_and_add_a_summary_without_outputs(
    site: Site, run: Run, workflow: tuple[Path, Path]
) -> None:
    """GitHub shows the first ten."""
    twice = {"sitemap-0.txt": f"{BASE}\n{BASE}\n"}
    folder = site(twice | {f"sitemap-{n}.txt": "a\nb\nc\n" for n in range(1, 9)})
    assert run("validate", folder, "--format", "github") == 1
    summary, outputs = workflow
    assert not outputs.exists()
    assert run.out.index("::error") < run.out.index("::warning")
    rows = [line for line in summary.read_text().splitlines() if line.startswith("| SM")]
    assert len(rows) == 20
    assert "SM301 error" in rows[0]
    assert "more" in summary.read_text().splitlines()[-1]


def test_the_table_of_findings_holds_any_text(
    run: Run, tmp_path: Path, workflow: tuple[Path, Path]
) -> None:
    (tmp_path / "s.txt").write_text(f"{BASE}a b\n{BASE}a|`b`\n{BASE}c\n{BASE}c\n")
    assert run("validate", "s.txt", "--format", "github") == 1
    lines = workflow[0].read_text().splitlines()
    assert lines[:2] == ["### sitemapper validate", ""]
    assert lines[2].startswith("**sitemapper**: ") and lines[2].endswith("in 1 file, 4 entries")
    assert lines[3:6] == ["", "| rule | where | what |", "|---|---|---|"]
    assert any("| `` https://example.com/a\\|`b` contains '\\|'" in line for line in lines)


@given(st.text(), st.text())
def test_annotations_are_one_line_whatever_they_say(message: str, file: str) -> None:
    line = annotation("error", message, file=file)
    assert line.isprintable()
    head, _, _ = line.removeprefix("::error ").partition("::")
    assert head.count("=") >= 1 and "," not in head and ":" not in head.removeprefix("file=")
