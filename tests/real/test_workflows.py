"""The workflows and the action: their schemas, their security, and the action as a runner runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml
from support import BASE, locs, write_site

from real.tools import CI_TOOLS, ROOT, run

pytestmark = pytest.mark.real

BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")  # as a runner calls it
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_they_fit_their_schemas_and_zizmor_finds_nothing() -> None:
    action = ROOT / "action.yml"
    check = (CI_TOOLS / "check-jsonschema", "--builtin-schema")
    run(*check, "vendor.github-actions", action)
    run(*check, "vendor.github-workflows", *WORKFLOWS)
    run(CI_TOOLS / "zizmor", "--offline", "--no-progress", *WORKFLOWS, action)
    used = re.findall(r"uses: (?!\$/)(\S+)", "".join(f.read_text() for f in (*WORKFLOWS, action)))
    assert len(used) >= 8
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name)] == []


def filled(text: str, values: dict[str, str]) -> str:
    """A value of action.yml with its expressions evaluated."""
    return re.sub(r"\$\{\{ (\S+) \}\}", lambda name: values[name[1]], text)


def test_the_action_installs_itself_and_runs(tmp_path: Path) -> None:
    """Its steps in their order, with bash; what setup-python gives is this Python."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    write_site(tmp_path, {"public/index.html": "<p>", "public/404.html": "<p>"})
    values = {f"inputs.{name}": spec["default"] for name, spec in action["inputs"].items()}
    values |= {
        "inputs.site": "public",
        "inputs.base-url": BASE,
        "steps.python.outputs.python-path": sys.executable,
    }
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    runner = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(ROOT), **files}
    for step in action["runs"]["steps"]:
        if "run" in step:
            given = {name: filled(value, values) for name, value in step["env"].items()}
            run(*BASH, step["run"], cwd=tmp_path, env=given | runner)
            outputs = dict(
                row.split("=", 1) for row in Path(files["GITHUB_OUTPUT"]).read_text().splitlines()
            )
            values |= {
                f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()
            }
    assert locs(tmp_path / "public") == [BASE]
    told = {name: output["value"].strip("${ }") for name, output in action["outputs"].items()}
    outputs = [values[told[name]] for name in ("sitemap", "listed", "excluded")]
    assert outputs == [f"{BASE}sitemap.xml", "1", "1"]
    summary = Path(files["GITHUB_STEP_SUMMARY"]).read_text()
    assert "  1 page listed\n  1 excluded (1 ignored)\n" in summary
