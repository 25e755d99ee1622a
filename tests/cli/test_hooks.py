"""What scripts and shells ask of the command line: short options, completion."""

from __future__ import annotations

import os
import subprocess
import sys

from support import BASE, Run, Site

FROM = ("public", "--base-url", BASE)


def test_short_options(site: Site, run: Run) -> None:
    site({f"{n}.html": "<p>" for n in range(20)})
    assert run("build", *FROM, "-q", "-o", "out", "--max-urls", "1") == 0
    assert run.out == ""
    assert run("build", *FROM, "-v", "-o", "out", "--max-urls", "1") == 0
    assert "sitemap-20.xml" in run.out
    assert run("validate", "out", "-q") == 0
    assert run.out == ""


def test_a_shell_completes_commands_and_options() -> None:
    words = "sitemapper build --track"
    asked = {"_SITEMAPPER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"}
    command = (sys.executable, "-m", "sitemapper")
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["--tracked"]
