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
    """Ends a run in order after SIGTERM or SIGHUP. `number` is that of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def end_at_once() -> None:
    """Makes signals such as Ctrl-C end the process at once, until `end_in_order` is called.

    This is for the time in which modules and settings are loaded. An exception is no good then:
    some libraries lose it while they are imported. And there is nothing to undo yet.
    """
    for number in _NUMBERS:
        signal.signal(number, _exit_at_once)


def end_in_order() -> None:
    """Makes signals raise KeyboardInterrupt (Ctrl-C) or Terminated, so that a run can clean up.

    Does nothing in a program that uses this package, because it has handlers of its own.
    """
    is_own_process = signal.getsignal(signal.SIGTERM) is _exit_at_once  # set by `end_at_once`
    if not is_own_process:
        return
    for number in _NUMBERS:
        if number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        else:
            signal.signal(number, _raise_terminated)


def _exit_at_once(number: int, _frame: object) -> None:
    """Prints "interrupted" or "ended by SIGTERM", and exits with the code that shells use.

    That code is 128 and the number of the signal: 130 for Ctrl-C.
    """
    word = "interrupted"
    if number != signal.SIGINT:
        word = f"ended by {signal.Signals(number).name}"
    os.write(2, f"{word}\n".encode())  # not print, which may be busy when the signal comes
    os._exit(128 + number)


def _raise_terminated(number: int, _frame: object) -> None:
    """Raises Terminated at the line that runs when the signal comes."""
    raise Terminated(number)
