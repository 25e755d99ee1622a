"""The door of the setup."""

from __future__ import annotations

from pathlib import Path

from support import Site, settings
from support.faults import faults


def test_a_missing_configuration_is_an_error(tmp_path: Path) -> None:
    assert faults(tmp_path, config="gone.toml") == [
        "gone.toml: does not exist",
        "help: check the path after --config",
    ]


def test_a_byte_order_mark_before_the_configuration(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_bytes(b"\xef\xbb\xbfstrict = true\n")
    assert settings(site({"a.html": ""})).settings.strict is True
