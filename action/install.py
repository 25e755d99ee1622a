"""The action's first step: installs sitemapper into an environment of its own.

The job's own Python does not see it.
"""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path


def main() -> None:
    """Installs the checkout of the action, or the released version of the input.

    Writes the path of the environment's Python into the outputs of the step, for the next step.
    """
    folder = Path(os.environ["RUNNER_TEMP"], "sitemapper")
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    version = os.environ["INPUT_VERSION"]
    checkout = Path(__file__).parents[1]
    package = f"static-sitemapper=={version}" if version else str(checkout)
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, package], check=True)
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.write(f"python={python}\n")


main()
