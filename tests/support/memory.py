"""How much memory a command takes."""

from __future__ import annotations

import os
import subprocess
import sys

# `ru_maxrss` of a child begins with its parent's, so the program says its own high-water mark.
_MEASURED = """
import re, sys
from sitemapper.__main__ import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
sys.exit(code)
"""


def peak(*argv: object, code: int = 0) -> int:
    """The most memory that a command takes, in kilobytes."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _MEASURED, *map(str, argv)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return int(done.stdout.split()[-1])
