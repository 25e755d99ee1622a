"""The action's second step: runs sitemapper once. `--format github` writes annotations, summary and
outputs.

Inputs come from the environment and reach no shell.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping

COMMANDS = ("build", "check", "validate", "verify")
# They take no --base-url and no --config, and list no changes.
COMMANDS_WITHOUT_SETTINGS = ("validate", "verify")


def main(env: Mapping[str, str]) -> int:
    """Runs the command that the inputs name. Returns its exit code."""
    try:
        arguments = list_arguments(env)
    except ValueError as error:
        print_error(str(error))
        return 2
    no_summary = {"GITHUB_STEP_SUMMARY": ""} if env["INPUT_SUMMARY"] == "false" else {}
    done = subprocess.run(
        (sys.executable, "-m", "sitemapper", *arguments),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**env, "PYTHONUTF8": "1", **no_summary},
    )
    if done.returncode == 2:
        print_error(done.stderr)
    else:
        sys.stderr.write(done.stderr)
    return done.returncode


def list_arguments(env: Mapping[str, str]) -> list[str]:
    """The command with its options: `build --strict --changes FILE --format github -- public`.

    Raises ValueError for inputs that do not belong together.
    """
    command = env["INPUT_COMMAND"]
    if command not in COMMANDS:
        raise ValueError(f"command: {command!r} must be one of {', '.join(COMMANDS)}")
    flags: list[str] = []
    for flag, value in (("--base-url", env["INPUT_BASE_URL"]), ("--config", env["INPUT_CONFIG"])):
        if value:
            flags += [flag, value]
    if flags and command in COMMANDS_WITHOUT_SETTINGS:
        raise ValueError(
            f"base-url and config are inputs of build and check; leave them out for {command}"
        )
    try:
        args = shlex.split(env["INPUT_ARGS"])
    except ValueError as error:
        raise ValueError(f"args: {error}: {env['INPUT_ARGS']}") from None
    if "-h" in args or "--help" in args:
        raise ValueError("args: --help runs nothing; leave it out")
    if command == "build":
        args += ["--changes", os.path.join(env["RUNNER_TEMP"], "sitemapper-changes.tsv")]
    site = env["INPUT_SITE"]
    if not site and command == "validate":
        site = "."  # the other commands find the site themselves
    # The name of a folder may begin with a dash.
    end = ["--", site] if site else ["--"]
    return [command, *flags, *args, "--format", "github", *end]


def print_error(message: str) -> None:
    """Prints an annotation, in which GitHub decodes these three characters."""
    text = message.strip().replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    sys.stdout.write(f"::error title=sitemapper::{text}\n")


if __name__ == "__main__":
    sys.exit(main(os.environ))
