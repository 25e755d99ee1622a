"""The process: its streams, signals and exit codes.

`python -m sitemapper` and the console script begin here.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys

from ._version import __version__
from .cli.termination import Terminated, end_at_once

# As in `__init__`: importing typing takes longer than the rest of `--version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

INTERRUPTED, PIPE = 130, 141  # the exit codes of shells after Ctrl-C and after a closed pipe


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line, and returns the exit code. Errors are printed, never raised.

    - 0: done, and nothing is wrong
    - 1: done, and something was found, such as a fault or a sitemap that is out of date
    - 2: not done, because of an error
    - above 128: ended by a signal, as in shells: 130 by Ctrl-C, 141 by a closed pipe
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Answered before anything slow is imported.
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"sitemapper {__version__}\n")
        return 0
    # Imported here and not above: `script` has switched Python's garbage collector off by now, so
    # these imports take some 10 ms less.
    from typer.exceptions import TyperException

    from .cli.app import command_line
    from .cli.console import emit, tell
    from .errors import SitemapperError

    try:
        code: int | None = command_line(
            args=arguments, prog_name="sitemapper", standalone_mode=False
        )
        if code == INTERRUPTED:
            # Each file is replaced as a whole, so an interrupted run leaves none of them half.
            emit(["interrupted; the published files are complete"], err=True)
        return int(code or 0)
    except SystemExit as stop:
        # If the reader closes our output, typer wraps stdout and exits with 1, as for a fault. Only
        # the class of this wrapper tells the two apart.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            return PIPE
        return stop.code if isinstance(stop.code, int) else 2
    except Terminated as ended:
        name = signal.Signals(ended.number).name
        emit([f"ended by {name}; the published files are complete"], err=True)
        return 128 + ended.number
    except BrokenPipeError:
        # The reader closed our output. Python must not complain about it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE
    except (SitemapperError, TyperException, OSError, MemoryError) as error:
        message = _describe_error(error)
        if message.startswith("Usage:"):  # the help, for a command line without a command
            emit([message], err=True)
            return 2
        tell("error", [message])
        return 2


def _describe_error(error: Exception) -> str:
    """Writes the message for an error that ends the program, with its help on a line of its own.

    A PermissionError → `a.html: Permission denied`. The errors of sitemapper have their message
    already. Others, such as too little memory, are put into words that say what to do.
    """
    from typer.exceptions import TyperException

    from .cli.parameters import usage_error
    from .errors import with_help
    from .fs import OutsideError

    if isinstance(error, TyperException):
        return usage_error(error)
    if isinstance(error, OutsideError):
        return with_help(
            f"{error.filename}: {error.strerror}", "replace the link with a copy of the file"
        )
    if isinstance(error, FileNotFoundError) and not error.filename:  # raised by os.getcwd
        return with_help("the working directory was removed", "change to another folder")
    if isinstance(error, OSError):
        name = error.filename or "output"  # only an error of stdout or stderr names no file
        return f"{name}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "out of memory\nhelp: use fewer --jobs"
    return str(error)


def script() -> None:
    """Runs the program as a process of its own: prepares its streams, and never returns."""
    end_at_once()
    # The hot path makes no reference cycles, so the collector is not needed. This saves 8 % of a
    # large run.
    gc.disable()
    # Our models have no plugins; looking for some costs pydantic 10 ms.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if sys.stdout is None or sys.stderr is None:  # closed by the shell, `>&-`
        nowhere = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_WRONLY), "w"))
        sys.stdout = sys.stdout or nowhere
        sys.stderr = sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _exit_process(main())


def _exit_process(code: int) -> NoReturn:
    """Ends this process with an exit code, and its workers that are still busy after Ctrl-C.

    Python itself would wait for them, and unload all modules, which takes longer than a small run.
    """
    end_at_once()  # nothing is left to undo
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # the reader closed our output
        pass
    if "multiprocessing" in sys.modules:
        for process in sys.modules["multiprocessing"].active_children():
            process.kill()
    os._exit(code)


if __name__ == "__main__":
    script()
