"""What holds for a run, and what is missing for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.faults import faults

BASE_URL = 'base_url = "https://a.example"\n'


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    write(tmp_path / "sitemapper.toml", 'base_url = "https://a.example"\n')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert faults(tmp_path / "repo") == [
        "no base URL: the address of the site is not known",
        "help: pass --base-url https://example.com/, or set base_url in sitemapper.toml "
        f"(there is none in {tmp_path / 'repo'} or above it)",
    ]
    (tmp_path / "elsewhere").mkdir()
    assert faults(tmp_path / "elsewhere")[1].endswith(
        f"(there is none in {tmp_path / 'elsewhere'})"
    )


@pytest.mark.parametrize("text", ["[sitemap]\n" + BASE_URL, "[tool.sitemapper]\n" + BASE_URL])
def test_a_base_url_in_the_wrong_place_is_one_fault(tmp_path: Path, text: str) -> None:
    write(tmp_path / "sitemapper.toml", text)
    assert len(faults(tmp_path)) == 2  # with its help
