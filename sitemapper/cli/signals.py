"""What Ctrl-C and requests to end do to this process.

At first it ends at once. An exception would be lost in some libraries while they are imported, and there is
nothing to undo yet. Once there may be, it is an exception.
"""

import os
import signal

# Windows lacks SIGHUP.
_NUMBERS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(BaseException):
    """SIGTERM or SIGHUP has come."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def end_at_once() -> None:
    """For the time in which modules and settings are loaded."""
    for number in _NUMBERS:
        signal.signal(number, _leave)


def end_in_order() -> None:
    """From now on, where the process is ours, signals raise KeyboardInterrupt or Terminated."""
    if signal.getsignal(signal.SIGTERM) is _leave:
        for number in _NUMBERS:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _end)


def _leave(number: int, _frame: object) -> None:
    word = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    os.write(2, f"{word}\n".encode())
    os._exit(128 + number)


def _end(number: int, _frame: object) -> None:
    raise Terminated(number)
