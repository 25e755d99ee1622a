"""How this program was installed, as far as it decides how to add a package."""

import os
import sys

from ..fs import regular


def command_to_install(package: str, prefix: str = sys.prefix) -> str:
    """What to do to install a package beside this program, whose environment is at `prefix`."""
    # pipx keeps this file in the environment of each program.
    if os.path.isfile(os.path.join(prefix, "pipx_metadata.json")):
        return f"run: pipx inject {os.path.basename(prefix)} {package}"
    # `uv tool install` keeps this one, and makes the environment anew from its arguments.
    if os.path.isfile(os.path.join(prefix, "uv-receipt.toml")):
        return f"run uv tool install as before, with --with {package}"
    if _is_made_by_uv(prefix):
        return f"run: uv pip install {package}"
    return f"run: pip install {package}"


def _is_made_by_uv(prefix: str) -> bool:
    """Whether `uv venv` made an environment, which has no pip. Its settings have a key `uv`."""
    settings = regular(os.path.join(prefix, "pyvenv.cfg")) or b""
    keys = [line.partition(b"=")[0].strip() for line in settings.splitlines()]
    return b"uv" in keys
