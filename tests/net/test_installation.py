"""The command to add a package is that of the tool that installed this program."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitemapper.net.installation import command_to_install


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("pipx_metadata.json", "{}", "run: pipx inject static-sitemapper urllib3"),
        ("uv-receipt.toml", "[tool]", "run uv tool install as before, with --with urllib3"),
        ("pyvenv.cfg", "home = /usr/bin\nuv = 0.9.1\n", "run: uv pip install urllib3"),
        ("pyvenv.cfg", "home = /opt/uv = x\n", "run: pip install urllib3"),
        ("other", "", "run: pip install urllib3"),
    ],
)
def test_the_command(file: str, text: str, command: str, tmp_path: Path) -> None:
    prefix = tmp_path / "static-sitemapper"
    prefix.mkdir()
    (prefix / file).write_text(text)
    assert command_to_install("urllib3", str(prefix)) == command
