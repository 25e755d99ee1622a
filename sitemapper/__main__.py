"""The process: its signals and exit codes. `python -m sitemapper` and the script begin here."""

import gc
import io
import os
import signal
import sys
from collections.abc import Sequence

from .cli.console import PIPE, Ended, emit, tell


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command with the arguments `argv`, or those of the process, and returns its exit code.

    0: fine. 1: something was found. 2: an error. 128 + n: ended by signal n. Errors are printed.
    """
    try:
        from .cli.app import run  # slow to load: a signal may come before

        return run(sys.argv[1:] if argv is None else argv)
    except Ended as ended:
        if ended.number != PIPE:  # then nobody reads what is printed
            name = signal.Signals(ended.number).name
            emit([f"ended by {name}; the published files are complete"], err=True)
        return 128 + ended.number
    except OSError as error:
        # Two errors name no file: the working directory was removed, or stdout cannot be written.
        what = "working directory" if isinstance(error, FileNotFoundError) else "output"
        tell("error", f"{error.filename or what}: {error.strerror}")
        return 2
    except MemoryError:
        tell("error", "out of memory", "use fewer --jobs")
        return 2


def script() -> None:
    """Runs the program as a process of its own, and never returns."""
    # A run makes no reference cycles, and holds the whole site in memory: looking for cycles in it
    # takes a fifth of the time.
    gc.disable()
    # Our models have no plugins; looking for some costs pydantic 10 ms.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        # A terminal that cannot show a character gets its number, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        if stream is None:  # closed by the shell: `>&-`
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115 - as long as the process

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows lacks SIGHUP, and nohup ignores it
        if number and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)

    code = main()
    # Freeing a million pages takes longer than to end without. All output is flushed.
    os._exit(code)


def _end(number: int, _frame: object) -> None:
    raise Ended(number)


if __name__ == "__main__":
    script()
