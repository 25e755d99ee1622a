"""The process: what it inherits, how it ends. `python -m sitemapper` and the console script."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from sitemapper.cli.app import app, coloured, say
from sitemapper.cli.flags import COLOR
from sitemapper.errors import SitemapperError

INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it

# What `git rev-parse --local-env-vars` names, but for configuration.
GIT_LOCAL = (
    "DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY", "GRAFT_FILE",
    "SHALLOW_FILE", "ALTERNATE_OBJECT_DIRECTORIES", "IMPLICIT_WORK_TREE", "REPLACE_REF_BASE",
    "NO_REPLACE_OBJECTS",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code: 0 fine, 1 found something, 2 could not do it."""
    try:
        app(args=list(sys.argv[1:] if argv is None else argv), prog_name="sitemapper")
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(["interrupted; what was published before is still whole"])
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (SitemapperError, OSError) as error:
        from sitemapper.cli.text import error_lines

        what = (
            error if isinstance(error, SitemapperError) else f"{error.filename or 'output'}: {error.strerror}"
        )
        never = {"color": COLOR("never") if "never" in sys.argv else None}
        say(error_lines(str(what), coloured(never, sys.stderr)))
        return 2
    return 0


def script() -> None:
    """The console script."""
    # Nothing on the hot path makes cycles, so counting references frees it all: 8 % of a large run.
    gc.disable()
    # A git hook sets these for its own repository; the site may lie in another.
    for name in GIT_LOCAL:
        os.environ.pop(f"GIT_{name}", None)
    # Nobody plugs into our models; looking for plugins costs pydantic 10 ms.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if sys.stdout is None or sys.stderr is None:  # closed by the shell, `>&-`
        nowhere = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_WRONLY), "w"))
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = main()
    if code == INTERRUPTED:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """Ends at once: what waits for other processes at a common end only complains that they are gone."""
    sys.stdout.flush()
    if "multiprocessing" in sys.modules:
        for process in sys.modules["multiprocessing"].active_children():
            process.kill()
    os._exit(code)


if __name__ == "__main__":
    script()
