"""What signals do to this process, before and after there is something to undo."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from support import POSIX

from sitemapper.cli.termination import Terminated, end_at_once, end_in_order

pytestmark = POSIX
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
NUMBERS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("name", "said"),
    [(name, f"ended by {name}") for name in NAMES[1:]] + [("SIGINT", "interrupted")],
)
def test_at_first_a_signal_ends_the_process_at_once(
    name: str, said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Left(BaseException):
        pass

    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(os, "_exit", leave)
    number = getattr(signal, name)
    end_at_once()
    with pytest.raises(Left, match=str(128 + number)):
        signal.raise_signal(number)
    assert capfd.readouterr().err == f"{said}\n"


def test_then_a_signal_is_an_exception() -> None:
    end_at_once()
    end_in_order()
    for number in NUMBERS[1:]:
        with pytest.raises(Terminated) as ended:
            signal.raise_signal(number)
        assert ended.value.number == number
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_signals_of_a_program_that_imports_us_stay_its_own() -> None:
    for number in NUMBERS:
        signal.signal(number, signal.SIG_IGN)
    end_in_order()
    assert [signal.getsignal(number) for number in NUMBERS] == [signal.SIG_IGN] * len(NUMBERS)
