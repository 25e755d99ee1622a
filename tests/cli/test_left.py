"""What earlier versions had, and what stands in."""

from __future__ import annotations

import pytest
from support import Run


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            "check public --against old.xml",
            "--against: use `check --previous OLD.xml` to compare sitemaps, and `validate` for faults",
        ),
        ("build --color never", "--color: leave it out; NO_COLOR=1 turns colours off"),
        (
            "explain a.html --no-live",
            "--no-live: use --previous none, or --previous FILE with a copy of the live sitemap",
        ),
        (
            "build --previous live --header X=TOKEN",
            "--header: download the sitemap, and pass --previous FILE; only verify sends headers",
        ),
        ("build -o -", "--output -: pass a folder, and print the sitemap in it"),
        ("check --output -", "--output -: pass a folder, and print the sitemap in it"),
        (
            "build --allow-empty",
            "--allow-empty: use --max-drop 100, which also allows an empty sitemap",
        ),
        (
            "build --exit-code",
            "--exit-code: use --tracked, which also fails if git does not track a file",
        ),
        (
            "build --redirects _redirects",
            "--redirects: write the redirects yourself; -v lists each page that moved",
        ),
        ("build --cache x", "--cache: leave it out, because nothing is cached any more"),
        ("check --no-cache", "--no-cache: leave it out, because nothing is cached any more"),
        (
            "build --no-respect not_a_page",
            "--no-respect not_a_page: name the file in `include`, which lists it",
        ),
        ("rule", "rule: docs/rules.md explains the rules"),
        ("rule SM203", "rule: docs/rules.md explains the rules"),
        ("validate s.xml --format sarif", "--format sarif: use --format json"),
        ("check --format junit", "--format junit: use --format json"),
        (
            "verify --format=markdown",
            "--format markdown: use --format github, which adds the findings to the summary of the job",
        ),
    ],
)
def test_what_has_left_is_answered_by_what_stands_in(run: Run, argv: str, said: str) -> None:
    assert run(*argv.split()) == 2
    assert (run.out, run.err) == ("", f"error: {said}\n")
