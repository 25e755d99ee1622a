"""The base URL that the canonicals agree on, where nothing else says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, write_site


def page(url: str) -> str:
    return f'<html><head><link rel="canonical" href="{url}"></head><body><p>Tea.'


@pytest.mark.parametrize(
    ("base", "count", "is_taken"),
    [
        ("https://tea.dev/", 10, True),
        ("https://tea.dev/shop/", 10, True),
        ("https://tea.dev/", 4, False),
        ("http://localhost:4000/", 10, False),
        ("https://example.com/", 10, False),
        ("https://deploy-preview-7--tea.netlify.app/", 10, False),
        ("https://tea-git-main-ann.vercel.app/", 10, False),
        ("https://0a1b2c3d.tea.pages.dev/", 10, False),
    ],
)
def test_most_canonicals_and_the_home_page_agree(
    tmp_path: Path, run: Run, base: str, count: int, is_taken: bool
) -> None:
    pages = {f"public/p{n}/index.html": page(f"{base}p{n}/") if n < count - 1 else "<p>" for n in range(9)}
    write_site(tmp_path, {"public/index.html": page(base), **pages})
    assert run("build") == (0 if is_taken else 2)
    assert (
        f"base_url {base} ({count} of {count} canonicals that were read)" in run.out
        if is_taken
        else not run.out
    )


def test_pages_that_name_another_base_than_the_home_page_prove_nothing(tmp_path: Path, run: Run) -> None:
    pages = {f"public/p{n}.html": page(f"https://cup.dev/p{n}.html") for n in range(9)}
    write_site(tmp_path, {"public/index.html": page("https://tea.dev/"), **pages})
    assert run("build") == 2
