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
CHECKS = ("validate", "verify")


def main(env: Mapping[str, str]) -> int:
    """Runs the command of the inputs; returns its exit code."""
    try:
        command = command_line(env)
    except ValueError as error:
        say_error(str(error))
        return 2
    no_summary = {"GITHUB_STEP_SUMMARY": ""} if env["INPUT_SUMMARY"] == "false" else {}
    done = subprocess.run(
        (sys.executable, "-m", "sitemapper", *command),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**env, "PYTHONUTF8": "1", **no_summary},
    )
    if done.returncode == 2:
        say_error(done.stderr)
    else:
        sys.stderr.write(done.stderr)
    return done.returncode


def command_line(env: Mapping[str, str]) -> list[str]:
    """The command with its options. Raises ValueError for inputs that do not fit."""
    command, site = env["INPUT_COMMAND"], env["INPUT_SITE"]
    if command not in COMMANDS:
        raise ValueError(f"command: {command!r} must be one of {', '.join(COMMANDS)}")
    settings = {"--base-url": env["INPUT_BASE_URL"], "--config": env["INPUT_CONFIG"]}
    if command in CHECKS and any(settings.values()):
        raise ValueError(
            f"base-url and config are inputs of build and check; leave them out for {command}"
        )
    try:
        args = shlex.split(env["INPUT_ARGS"])
    except ValueError as error:
        raise ValueError(f"args: {error}: {env['INPUT_ARGS']}") from None
    if {"-h", "--help"} & {*args}:
        raise ValueError("args: --help runs nothing; leave it out")
    place = [site] if site else ["."] if command == "validate" else []
    flags = [part for pair in settings.items() if pair[1] for part in pair]
    if command not in CHECKS and not any(arg.split("=")[0] == "--against" for arg in args):
        args += ["--changes", os.path.join(env["RUNNER_TEMP"], "sitemapper-changes.tsv")]
    # The name of a folder may begin with a dash.
    return [command, *flags, *args, "--format", "github", "--", *place]


def say_error(message: str) -> None:
    """An annotation; GitHub decodes these three characters."""
    for char, sign in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.strip().replace(char, sign)
    sys.stdout.write(f"::error title=sitemapper::{message}\n")


if __name__ == "__main__":
    sys.exit(main(os.environ))
