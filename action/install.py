"""The action's first step: installs sitemapper where the job's own Python does not see it."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path


def main() -> None:
    """Installs the checkout of the action, or a released version, and tells the next step its
    Python.
    """
    folder = Path(os.environ["RUNNER_TEMP"], "sitemapper")
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    version = os.environ["INPUT_VERSION"]
    source = (
        f"static-sitemapper[net]=={version}" if version else f"{Path(__file__).parents[1]}[net]"
    )
    quietly = ("--quiet", "--disable-pip-version-check")
    subprocess.run([python, "-m", "pip", "install", *quietly, source], check=True)
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.write(f"python={python}\n")


main()
