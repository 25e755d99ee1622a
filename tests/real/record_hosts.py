"""Asks the engines of hosts for every form of every file of CASES, and writes what they answer.

`make record-hosts` runs it; `python -m real.record_hosts ENGINE…` records some anew.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support import BASE, write_site
from support.hosts import forms, page

from real import sites
from real.host_engines import ENGINES, Ask, engine, version
from real.host_sites import CASES, GENERATORS, Case
from real.tools import ROOT

DATA = ROOT / "tests" / "data" / "hosts"


# Of a generator's page, what decides about its URL.
_MARKS = re.compile(
    r"""<(?:link\s[^>]*rel=.?canonical|meta\s[^>]*(?:name=.?robots|http-equiv=.?refresh))[^>]*>""",
    re.I,
)
_LINK = re.compile(r"""<a\s[^>]*?href=["']?([^"'\s>]+)""", re.IGNORECASE)


def generated(name: str) -> dict[str, str]:
    """The pages of a generator's real output, by name, reduced to their marks and ten links."""
    with TemporaryDirectory(prefix="hosts-") as folder:
        out = sites.ALL[name].build(Path(folder))
        pages = {}
        for file in sorted(out.rglob("*.html")):
            text = (
                file.read_text(encoding="utf-8").replace(sites.DOCS, BASE).replace(sites.BASE, BASE)
            )
            links = [f'<a href="{url}">' for url in dict.fromkeys(_LINK.findall(text))][:10]
            path = file.relative_to(out).as_posix()
            pages[path] = page(path) + "".join(f"{mark}\n" for mark in _MARKS.findall(text) + links)
        return pages


def answers(ask: Ask, files: Mapping[str, str]) -> dict[str, Any]:
    """For each form of each page the status, or the page that is shown; `!` before it: with noindex."""
    pages = {text.encode(): name for name, text in files.items()}
    found: dict[str, Any] = {}
    for url in dict.fromkeys(url for name in files for url in forms(name)):
        status, body, headers = ask(url)
        robots = "!" if re.search(r"noindex|none", headers.get("x-robots-tag", "").lower()) else ""
        found[url] = robots + pages.get(body, "?") if status == 200 else status
    return found


def record(case: Case) -> dict[str, Any]:
    """The case with its answers."""
    own = generated(GENERATORS[case.generator]) if case.generator else {}
    pages = own or {name: page(name) for name in case.pages}
    with TemporaryDirectory(prefix="hosts-") as folder:
        project = Path(folder) / "project"
        public = {f"public/{name}": text for name, text in {**case.files, **pages}.items()}
        write_site(project, {**case.project, **public})
        with engine(case.engine, project) as ask:
            found = answers(ask, pages)
    inputs = {"host": case.host, "project": case.project, "files": case.files}
    return {"name": case.name, **inputs, "pages": own or case.pages, "answers": found}


def main(names: list[str]) -> None:
    """Records the cases of the engines that are named, or all."""
    DATA.mkdir(parents=True, exist_ok=True)
    for name in names or [*ENGINES, "vercel"]:
        cases = []
        for case in (case for case in CASES if case.engine == name):
            print(f"{name}: {case.name}", flush=True)
            cases.append(record(case))
        package = ENGINES[name][0] if name in ENGINES else name
        head = json.dumps(version(package))
        rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        text = f'{{"engine": {head}, "cases": [\n{rows}\n]}}\n'
        (DATA / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
