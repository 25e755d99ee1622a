"""What conf.py and its like assign is read by Python's own parser: a literal, nothing, or unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.answers import Answer
from sitemapper.syntax.project_files import find_fault, values


def read(text: str) -> dict[str, Answer]:
    return values(text, "conf.py")


CASES: dict[str, tuple[str, Answer | None]] = {
    "a text": ("\nURL = 'a'", Answer("a", 2)),
    "a typed text": ("URL: str = 'a'", Answer("a", 1)),
    "texts side by side": ("URL = ('a'\n  'b')", Answer("ab", 1)),
    "a boolean": ("URL = True", Answer("true", 1)),
    "two names": ("OTHER = URL = 'a'", Answer("a", 1)),
    "a name": ("HOST = 'a'\nURL = HOST", Answer("a", 2)),
    "a name for a name": ("A = 'a'\nB = A\nURL = B", Answer("a", 3)),
    "a name that stands again": ("URL = 'a'\nprint(URL)\nOTHER = URL", Answer("a", 1)),
    "a comment": ("# URL = 'a'", None),
    "None": ("URL = None", None),
    "a name in a function": ("def f():\n    URL = 'a'", None),
    "a name in a class": ("class C:\n    URL = 'a'", None),
    "a text in a text": ("X = '''\nURL = 'a'\n'''", None),
    "a type alone": ("URL: str", Answer(None, 1)),
    "a sum": ("HOST = 'a'\nURL = 'https://' + HOST", Answer(None, 2)),
    "an f-string": ("HOST = 'a'\nURL = f'https://{HOST}/'", Answer(None, 2)),
    "the environment": ("URL = os.environ['X']", Answer(None, 1)),
    "a default of the environment": ("URL = os.environ.get('X', 'a')", Answer(None, 1)),
    "a default by or": ("URL = os.environ.get('X') or 'a'", Answer(None, 1)),
    "a call": ("URL = find()", Answer(None, 1)),
    "two cases": ("URL = 'a' if x else 'b'", Answer(None, 1)),
    "a condition": ("if x:\n    URL = 'a'", Answer(None, 2)),
    "two branches": ("if x:\n    URL = 'a'\nelse:\n    URL = 'b'", Answer(None, 4)),
    "an attempt": ("try:\n    URL = 'a'\nexcept E: pass", Answer(None, 2)),
    "set twice": ("URL = 'a'\nURL = 'b'", Answer(None, 2)),
    "set again on a condition": ("URL = 'a'\nif x:\n    URL = 'b'", Answer(None, 3)),
    "set again in a function": ("URL = 'a'\ndef f():\n    global URL\n    URL = 'b'", Answer(None, 1)),
    "more of it": ("URL = 'a'\nURL += find()", Answer(None, 2)),
    "taken away": ("URL = 'a'\ndel URL", Answer(None, 2)),
    "in a loop": ("for URL in x: pass", Answer(None, 1)),
    "one of several": ("URL, OTHER = 'a', 'b'", Answer(None, 1)),
    "imported": ("from x import URL", Answer(None, 1)),
    "imported by this name": ("from x import y as URL", Answer(None, 1)),
    "imported behind it": ("URL = 'a'\nfrom x import URL", Answer(None, 2)),
    "a name of another file": ("from x import HOST\nURL = HOST", Answer(None, 2)),
    "a name that is set later": ("URL = HOST\nHOST = 'a'", Answer(None, 1)),
    "a name that is set twice": ("HOST = 'a'\nHOST = 'b'\nURL = HOST", Answer(None, 3)),
    "itself": ("URL = URL", Answer(None, 1)),
    "before all names of another file": ("URL = 'a'\nfrom x import *", Answer(None, 2)),
    "before them in an attempt": ("URL = 'a'\ntry:\n    from x import *\nexcept E: pass", Answer(None, 2)),
    "behind all names of another file": ("from x import *\nURL = 'a'", Answer("a", 2)),
    "a name before all names of another file": ("HOST = 'a'\nfrom x import *\nURL = HOST", Answer(None, 3)),
    "only all names of another file": ("from x import *", None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "answer"), CASES.values(), ids=CASES)
def test_what_a_name_is(text: str, answer: Answer | None) -> None:
    assert read(text).get("URL") == answer


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("X = ['a', 'b']", {"X[]": Answer("a\nb", 1)}),
        ("X = ('a', 1, {'b': 2})", {"X[]": Answer("a\nb", 1)}),
        ("X = [{1: 2}]", {"X[]": Answer("1", 1)}),
        ("X = {'a': {'b': 'c'}, 1: True}", {"X.a.b": Answer("c", 1), "X.1": Answer("true", 1)}),
        ("X = ['a', y]", {"X": Answer(None, 1)}),
        ("X = ['a']\nX.append('b')", {"X": Answer(None, 1)}),
        ("X = {'a': 'b'}\nX['a'] = 'c'", {"X": Answer(None, 1)}),
        ("X = ['a']\nY = X", {"X": Answer(None, 1), "Y": Answer(None, 2)}),
        ("X = ('a',)\nprint(X)", {"X[]": Answer("a", 1)}),
        ("X = {[]: 1}", {"X": Answer(None, 1)}),
        ("X = 5", {}),
        ("from x import *", {}),
    ],
)
def test_lists_and_tables(text: str, answers: dict[str, Answer]) -> None:
    assert read(text) == answers


def test_a_file_that_is_no_python_or_too_long_is_said_to_be() -> None:
    assert read("a = 'b'\nURL = (") == {"*": Answer(None, 2)}
    assert find_fault("a = 'b'\nURL = (", "conf.py") == ("is not valid Python", 2)
    long = f"URL = '{'x' * (1 << 16)}'"
    assert read(long) == {"*": Answer(None)}
    assert find_fault(long, "conf.py") == ("has more than 65,536 characters", None)


WORDS = (
    "URL", "X", " = ", "'a'", "[", "]", "{", "}", "(", ")", ",", ": ", "\n", "    ", "if x:", "from y import ",
    "*", "import ", " as ", "+", "def f():", "del ", "1", "-", "f'{X}'", "None", "global ", "for ", " in ",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join))
def test_no_text_raises(text: str) -> None:
    read(text)
    find_fault(text, "conf.py")
