"""How Ctrl-C and the other signals of the system end this process.

At first, signals end the process at once: some libraries lose an exception while they are imported,
and there is nothing to undo yet. Later, signals raise an exception.
"""

import os
import signal

# Windows lacks SIGHUP.
_NUMBERS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(BaseException):
    """Raised by SIGTERM or SIGHUP."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def end_at_once() -> None:
    """Ends the process at once on a signal, while modules and settings are loaded."""
    for number in _NUMBERS:
        signal.signal(number, _leave)


def end_in_order() -> None:
    """Makes signals raise KeyboardInterrupt or Terminated.

    Only where `end_at_once` was called: a program that uses this package has its own handlers.
    """
    if signal.getsignal(signal.SIGTERM) is not _leave:
        return
    for number in _NUMBERS:
        if number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        else:
            signal.signal(number, _end)


def _leave(number: int, _frame: object) -> None:
    """Ends the process with a word to the user, and with the exit code that shells use."""
    word = "interrupted"
    if number != signal.SIGINT:
        word = f"ended by {signal.Signals(number).name}"
    os.write(2, f"{word}\n".encode())
    os._exit(128 + number)


def _end(number: int, _frame: object) -> None:
    raise Terminated(number)
