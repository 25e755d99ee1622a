"""What the engines of hosts answered (`make record-hosts`), and the URLs that a build lists for the same sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support import BASE, locs, settings, write_site
from support.heard import heard
from support.hosts import forms, page

from sitemapper.hosts.find import find_host

DATA = Path(__file__).parents[1] / "data" / "hosts"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(DATA.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
]

# Why a page that the host shows need not be listed.
OTHER_REASONS = ("ignored", "not a page", "canonical elsewhere", "noindex")
# The same, if the host does not show it at the form of its URL that the site would use.
BY_ITS_FORM = ("redirect", "closed by the host", "duplicate URL")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_each_listed_url_shows_its_page_and_each_page_at_its_own_form_is_listed(
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
    wrong = {
        url: answer
        for url, answer in shown.items()
        if answer not in case["pages"] or url not in forms(answer)
    }
    assert wrong == {}
    assert len(set(shown.values())) == len(shown)  # no page twice
    missing = {
        name: left_out[name]
        for name in case["pages"]
        if name in left_out and any(answers[url] == name for url in forms(name))
    }
    by_host = {name: why for name, why in missing.items() if not why[1].startswith(f"{name}:")}
    # `netlify dev` asks for no password.
    asked = {name: why for name, why in by_host.items() if "Basic-Auth" not in why[1]}
    allowed = {
        name
        for name, (reason, _) in asked.items()
        if reason.value in OTHER_REASONS
        or (reason.value in BY_ITS_FORM and answers[first_form(name, root, case)] != name)
    }
    assert asked.keys() - allowed == set()


def first_form(name: str, root: Path, case: dict[str, Any]) -> str:
    """The path at which the host would list a file without rules."""
    setup = settings(root)
    served = find_host(
        str(root),
        configured=case["host"],
        builder="",
        base_url=BASE,
        cwd=setup.run.cwd,
    ).forms
    assert served
    stem = name.removesuffix("/index.html").removesuffix(".html")
    has_clash = {f"{stem}.html", f"{stem}/index.html"} <= set(case["pages"])
    return quote("/" + served.paths(name, has_clash=has_clash)[0])
