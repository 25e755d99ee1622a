"""Asks the engines of hosts for every form of every file of CASES, and writes what they answer.

`make record-hosts` runs it; `python -m real.record_hosts ENGINE…` records some anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support import write_site
from support.hosts import forms, page

from real.host_engines import ENGINES, Ask, engine, version
from real.host_sites import CASES, Case
from real.tools import ROOT

DATA = ROOT / "tests" / "data" / "hosts"


def answers(ask: Ask, files: Mapping[str, str]) -> dict[str, Any]:
    """For each form of each page the status, or the page that is shown; `!` before it: with noindex."""
    pages = {text.encode(): name for name, text in files.items()}
    found: dict[str, Any] = {}
    for url in dict.fromkeys(url for name in files for url in forms(name)):
        status, body, headers = ask(url)
        robots = "!" if "noindex" in headers.get("x-robots-tag", "").lower() else ""
        found[url] = robots + pages.get(body, "?") if status == 200 else status
    return found


def record(case: Case) -> dict[str, Any]:
    """The case with its answers."""
    pages = {name: page(name) for name in case.pages}
    with TemporaryDirectory(prefix="hosts-") as folder:
        project = Path(folder) / "project"
        write_site(
            project, {**case.project, **{f"public/{n}": t for n, t in {**case.files, **pages}.items()}}
        )
        with engine(case.engine, project) as ask:
            found = answers(ask, pages)
    inputs = {"host": case.host, "project": case.project, "files": case.files, "pages": case.pages}
    return {"name": case.name, **inputs, "answers": found}


def main(names: list[str]) -> None:
    """Records the cases of the engines that are named, or all."""
    DATA.mkdir(parents=True, exist_ok=True)
    for name in names or [*ENGINES, "vercel"]:
        cases = []
        for case in (case for case in CASES if case.engine == name):
            print(f"{name}: {case.name}", flush=True)
            cases.append(record(case))
        package = ENGINES[name].package if name in ENGINES else name
        head = json.dumps(version(package))
        rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        (DATA / f"{name}.json").write_text(f'{{"engine": {head}, "cases": [\n{rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
