"""What conf.py and its like assign is read by Python's own parser: a literal, nothing, or unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.settings_files import Said, fault
from support.settings_files import read as read_file


def read(text: str) -> dict[str, Said]:
    return read_file(text, "conf.py")


CASES: dict[str, tuple[str, Said | None]] = {
    "a text": ("\nURL = 'a'", ("a", 2)),
    "a typed text": ("URL: str = 'a'", ("a", 1)),
    "texts side by side": ("URL = ('a'\n  'b')", ("ab", 1)),
    "a boolean": ("URL = True", ("true", 1)),
    "two names": ("OTHER = URL = 'a'", ("a", 1)),
    "a name": ("HOST = 'a'\nURL = HOST", ("a", 2)),
    "a name that stands again": ("URL = 'a'\nprint(URL)\nOTHER = URL", ("a", 1)),
    "a comment": ("# URL = 'a'", None),
    "None": ("URL = None", None),
    "a name in a function": ("def f():\n    URL = 'a'", None),
    "a type alone": ("URL: str", (None, 1)),
    "an f-string": ("HOST = 'a'\nURL = f'https://{HOST}/'", (None, 2)),
    "a default by or": ("URL = os.environ.get('X') or 'a'", (None, 1)),
    "a call": ("URL = find()", (None, 1)),
    "two cases": ("URL = 'a' if x else 'b'", (None, 1)),
    "a condition": ("if x:\n    URL = 'a'", (None, 2)),
    "an attempt": ("try:\n    URL = 'a'\nexcept E: pass", (None, 2)),
    "set twice": ("URL = 'a'\nURL = 'b'", (None, 2)),
    "set again on a condition": ("URL = 'a'\nif x:\n    URL = 'b'", (None, 3)),
    "set again in a function": ("URL = 'a'\ndef f():\n    global URL\n    URL = 'b'", (None, 1)),
    "more of it": ("URL = 'a'\nURL += find()", (None, 2)),
    "taken away": ("URL = 'a'\ndel URL", (None, 2)),
    "in a loop": ("for URL in x: pass", (None, 1)),
    "one of several": ("URL, OTHER = 'a', 'b'", (None, 1)),
    "imported": ("from x import URL", (None, 1)),
    "imported by this name": ("from x import y as URL", (None, 1)),
    "imported behind it": ("URL = 'a'\nfrom x import URL", (None, 2)),
    "a name of another file": ("from x import HOST\nURL = HOST", (None, 2)),
    "a name that is set later": ("URL = HOST\nHOST = 'a'", (None, 1)),
    "a name that is set twice": ("HOST = 'a'\nHOST = 'b'\nURL = HOST", (None, 3)),
    "itself": ("URL = URL", (None, 1)),
    "before all names of another file": ("URL = 'a'\nfrom x import *", (None, 2)),
    "behind all names of another file": ("from x import *\nURL = 'a'", ("a", 2)),
    "a name before all names of another file": ("HOST = 'a'\nfrom x import *\nURL = HOST", (None, 3)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "answer"), CASES.values(), ids=CASES)
def test_what_a_name_is(text: str, answer: Said | None) -> None:
    assert read(text).get("URL") == answer


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("X = ['a', 'b']", {"X[]": ("a\nb", 1)}),
        ("X = ('a', 1, {'b': 2})", {"X[]": ("a\nb", 1)}),
        ("X = [{1: 2}]", {"X[]": ("1", 1)}),
        ("X = {'a': {'b': 'c'}, 1: True}", {"X.a.b": ("c", 1), "X.1": ("true", 1)}),
        ("X = ['a', y]", {"X": (None, 1)}),
        ("X = ['a']\nX.append('b')", {"X": (None, 1)}),
        ("X = {'a': 'b'}\nX['a'] = 'c'", {"X": (None, 1)}),
        ("X = ['a']\nY = X", {"X": (None, 1), "Y": (None, 2)}),
        ("X = ('a',)\nprint(X)", {"X[]": ("a", 1)}),
        ("X = {[]: 1}", {"X": (None, 1)}),
    ],
)
def test_lists_and_tables(text: str, answers: dict[str, Said]) -> None:
    assert read(text) == answers


def test_a_file_that_is_too_long_is_said_to_be() -> None:
    long = f"URL = '{'x' * (1 << 16)}'"
    assert read(long) == {"*": (None, None)}
    assert fault(long, "conf.py") == ("has more than 65,536 characters", None)


WORDS = (
    "URL", "X", " = ", "'a'", "[", "]", "{", "}", "(", ")", ",", ": ", "\n", "    ", "if x:", "from y import ",
    "*", "import ", " as ", "+", "def f():", "del ", "1", "-", "f'{X}'", "None", "global ", "for ", " in ",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join))
def test_no_text_raises(text: str) -> None:
    read(text)
    fault(text, "conf.py")
