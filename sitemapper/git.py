"""Runs git, and reads what it prints."""

import os
import subprocess
from collections.abc import Iterator

_SECONDS = 60
# A repository may be that of others, and its configuration may name programs: git runs none. A
# change of mode is no edit, and people may have set another encoding.
_GIT = (
    "git", "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit", "-c", "core.fileMode=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
)  # fmt: skip
# A hook sets these for its own repository, and the site may be in another one.
_OF_HOOKS = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
)  # fmt: skip


def output(folder: str, *arguments: str) -> str | None:
    """Runs a git command in a folder, and returns what it prints: `output("/a", "ls-files", "-z")`.

    None if it fails, or if there is no git. Names of files come as git has them: UTF-8 with
    surrogate escapes for other bytes.
    """
    try:
        done = subprocess.run(
            [*_GIT, "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(),
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return done.stdout.decode("utf-8", "surrogateescape")


def parts(folder: str, *arguments: str) -> Iterator[str]:
    """Runs a git command such as `ls-files -z`, and yields what it prints between NULs.

    The parts come while git still runs, because a log may be long. If git is missing, nothing is
    yielded; if it fails, what it has printed until then.
    """
    try:
        process = subprocess.Popen(
            [*_GIT, "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except OSError:
        return
    with process:
        assert process.stdout
        rest = b""  # the beginning of a part whose end has not been read
        while block := process.stdout.read(1 << 16):
            *complete, rest = (rest + block).split(b"\0")
            for part in complete:
                yield part.decode("utf-8", "surrogateescape")


def _environment() -> dict[str, str]:
    """The environment in which git runs: it locks nothing, fetches nothing, and speaks English."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # a lock would disturb another git
    # A partial clone would fetch what it lacks from its server, one file at a time.
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    environment["LC_ALL"] = "C"
    return environment
