"""What the engines of hosts answered (`make record-hosts`), and the URLs that a build lists for the same sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import BASE, locs, settings, write_site
from support.heard import heard
from support.hosts import forms, page

DATA = Path(__file__).parents[1] / "data" / "hosts"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(DATA.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
]

# Why a page that the host shows need not be listed.
OTHER_REASONS = ("ignored", "not a page", "canonical elsewhere", "noindex")


@pytest.mark.parametrize("case", CASES)
def test_each_listed_url_shows_its_page_and_each_page_that_is_shown_is_listed(
    case: dict[str, Any], tmp_path: Path
) -> None:
    pages = (
        case["pages"]
        if isinstance(case["pages"], dict)
        else {name: page(name) for name in case["pages"]}
    )
    site = {**case["files"], **pages}
    project = tmp_path / "project"
    write_site(
        project, {**case["project"], **{f"public/{name}": text for name, text in site.items()}}
    )
    (project / ".git").mkdir()
    root = project / "public"
    left_out = heard(root).excluded
    assert settings(root).settings.host == "auto"
    answers = case["answers"]
    listed = [loc.removeprefix(BASE[:-1]) for loc in locs(root)]
    shown = {url: answers[url] for url in listed}
    wrong = {url: answer for url, answer in shown.items() if answer not in case["pages"]}
    assert wrong == {}
    assert len(set(shown.values())) == len(listed)  # no page twice
    missing = {
        name: left_out[name]
        for name in case["pages"]
        if name not in shown.values() and any(answers[url] == name for url in forms(name))
    }
    by_host = {name: why for name, why in missing.items() if not why[1].startswith(f"{name}:")}
    assert {name: why for name, why in by_host.items() if why[0].value not in OTHER_REASONS} == {}
