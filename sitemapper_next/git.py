"""Runs git, and reads what it prints."""

import os
import subprocess

_SECONDS = 60


def output(folder: str, *arguments: str) -> str | None:
    """What a git command prints in a folder; None if it fails, or if there is no git.

    Names of files come as git has them: UTF-8 with surrogate escapes for other bytes.
    """
    environment = {
        **os.environ,
        "GIT_OPTIONAL_LOCKS": "0",  # a lock would disturb another git
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            ["git", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return done.stdout.decode("utf-8", "surrogateescape")
