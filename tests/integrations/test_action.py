"""The GitHub Action: its script with a made-up workflow around it, and its file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from inline_snapshot import snapshot
from support import BASE, write_site

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
NOINDEX = '<html><head><meta name="robots" content="noindex"></head><body>'
SITE = {"public/index.html": "<p>", "public/a.html": "<p>", "public/secret.html": NOINDEX}
STALE = {"public/robots.txt": "Sitemap: http://localhost/old.xml\n"}


class Done(NamedTuple):
    """What a step left behind."""

    code: int
    out: str
    err: str
    outputs: dict[str, str]
    summary: str


class Workflow:
    """A job that runs the action's second step, with the environment that action.yml gives it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, **given: str) -> Done:
        inputs = {
            name.replace("-", "_"): spec["default"] for name, spec in ACTION["inputs"].items()
        } | given
        step = ACTION["runs"]["steps"][-1]
        env = {
            key: re.sub(
                r"\$\{\{ inputs\.([\w-]+) \}\}",
                lambda found: inputs[found[1].replace("-", "_")],
                value,
            )
            for key, value in step["env"].items()
            if key.startswith("INPUT_")
        }
        files = {
            name: self.root / f"{name}.txt" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        for file in files.values():
            file.write_text("")
        env |= {name: str(file) for name, file in files.items()} | {"RUNNER_TEMP": str(self.root)}
        done = subprocess.run(
            (sys.executable, ROOT / "action/run.py"),
            cwd=self.root,
            env=os.environ | env,
            capture_output=True,
            encoding="utf-8",
        )
        outputs = dict(
            line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines()
        )
        summary = files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        return Done(done.returncode, done.stdout, done.stderr, outputs, summary)


@pytest.fixture
def job(tmp_path: Path) -> Workflow:
    return Workflow(write_site(tmp_path, SITE))


def test_a_build_gives_outputs_a_summary_and_annotations(job: Workflow) -> None:
    write_site(job.root, STALE)
    done = job(site="public", base_url=BASE)
    assert done.code == 0
    assert done.err == ""
    changes = job.root / "sitemapper-changes.tsv"
    assert done.outputs == {
        "sitemap": f"{BASE}sitemap.xml", "listed": "2", "excluded": "1",
        "added": "2", "changed": "0", "removed": "0", "changes-file": str(changes),
    }  # fmt: skip
    assert set(done.outputs) == set(ACTION["outputs"])
    assert changes.read_text() == f"# no baseline\nadded\t{BASE}\nadded\t{BASE}a.html\n"
    notice, warning = done.out.splitlines()
    assert notice == f"::notice title=sitemap::{BASE}sitemap.xml: 2 pages listed"
    assert warning.startswith("::warning title=robots-line::robots.txt names a sitemap")
    assert done.summary.startswith(f"### sitemapper build\n\n```text\n{BASE}sitemap.xml\n")


def test_a_check_fails_where_a_build_would_write_something_else(job: Workflow) -> None:
    job(site="public", base_url=BASE)
    done = job(command="check", site="public", base_url=BASE)
    assert (done.code, done.out, done.outputs["added"]) == (0, "", "0")
    assert "\n  is the same as what a build would write, " in done.summary
    write_site(job.root, {"public/b.html": "<p>"})
    done = job(command="check", site="public", base_url=BASE)
    assert (done.code, done.outputs["added"], done.outputs["listed"]) == (1, "1", "3")
    assert "\n  3 pages listed, 1 added\n" in done.summary


def test_findings_have_a_summary_and_no_outputs(job: Workflow) -> None:
    write_site(job.root, {"public/sitemap.xml": f"<urlset><url><loc>{BASE}</loc></url></urlset>"})
    done = job(command="validate")
    assert (done.code, done.outputs) == (1, {})
    assert "public/sitemap.xml:1: SM103 error: " in done.summary


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"command": "submit"}, "command: 'submit' must be one of build, check, validate, verify"),
        (
            {"command": "validate", "base_url": BASE},
            "base-url and config are inputs of build and check",
        ),
        ({"site": "nowhere", "base_url": BASE}, "error: "),
        ({"args": "'"}, "args: No closing quotation"),
        ({"site": "public", "base_url": BASE, "args": "--help"}, "args: --help runs nothing"),
    ],
)
def test_what_cannot_be_done_is_one_annotation(
    inputs: dict[str, str], message: str, job: Workflow
) -> None:
    done = job(**inputs)
    line = done.out.splitlines()[-1]
    assert line.startswith("::error title=sitemapper::")
    assert message in line
    assert (done.code, done.outputs, done.summary) == (2, {}, "")


def test_inputs_reach_no_shell_and_are_split_as_a_shell_would(job: Workflow) -> None:
    write_site(job.root, {"public/$(touch pwned).html": "<p>", "public/b c.html": "<p>"})
    done = job(site="public", base_url=BASE, args="--ignore 'b c.html' --ignore '$(touch pwned)*'")
    assert done.outputs["excluded"] == "3"
    assert not (job.root / "pwned").exists()


def test_without_a_summary(job: Workflow) -> None:
    done = job(site="public", base_url=BASE, summary="false")
    assert (done.code, done.summary, done.outputs["listed"]) == (0, "", "2")


def test_no_step_has_an_expression_in_its_script() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert "${{" not in "".join(scripts)
    assert [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step] == [
        step["uses"]
        for step in yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["test"][
            "steps"
        ]
        if "setup-python" in step.get("uses", "")
    ]


DOCS = ROOT / "docs/ci.md"


def test_the_summary_of_a_changed_sample(job: Workflow) -> None:
    shutil.copytree(ROOT / "sample_site", job.root / "sample")
    site = job.root / "sample/public"
    sample = {"site": "sample/public", "config": "sample/sitemapper.toml"}
    job(**sample)
    write_site(site, {"blog/new.html": "<title>New</title>"})
    (site / "prices/index.html").unlink()
    assert re.sub(r"\d+\.\d+ s", "T s", job(**sample).summary) == snapshot("""\
### sitemapper build

```text
https://lindenhof.example/sitemap.xml
  dates: 11 from ledger, 1 from mtime
  12 pages listed, 1 added, 1 removed
  1 earlier URL not listed: 1 lost
  5 excluded (1 ignored, 1 disallowed by robots.txt, 1 redirect, 1 noindex, 1 canonical elsewhere)
  updated  sitemap.xml  12 URLs
  updated  sample/sitemapper.ledger
  kept     robots.txt
  published, T s
warning: not listed, because the canonical names a page that is not there (1 page: print/prices.html)
  help: correct the canonical in the template
note: 1 earlier URL lost: https://lindenhof.example/prices/
  help: redirect them, or add them to [[urls]] if they are served
```
""")


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_the_documents_name_all_inputs_and_outputs(kind: str) -> None:
    section = DOCS.read_text().partition("## GitHub Action\n")[2]
    assert [name for name in ACTION[kind] if f"`{name}`" not in section] == []
