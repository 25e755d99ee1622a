"""What conf.py and its like assign is read by Python's own parser: a text, nothing, or unknown."""

from __future__ import annotations

import pytest

from sitemapper.syntax.answers import Answer
from sitemapper.syntax.python_settings import read_constants

CASES: dict[str, tuple[str, Answer | None]] = {
    "a text": ("\nURL = 'a'", Answer("a", 2)),
    "a typed text": ("URL: str = 'a'", Answer("a", 1)),
    "a sum": ("HOST = 'a'\nURL = 'https://' + HOST + '/'", Answer("https://a/", 2)),
    "an f-string": ("HOST = 'a'\nURL = f'https://{HOST}/'", Answer("https://a/", 2)),
    "a default of the environment": ("URL = os.environ.get('X', 'a')", Answer("a", 1)),
    "another": ("URL = os.getenv('X', 'a')", Answer("a", 1)),
    "a default by or": ("URL = os.environ.get('X') or 'a'", Answer("a", 1)),
    "a comment": ("# URL = 'a'", None),
    "None": ("URL = None", None),
    "a name in a function": ("def f():\n    URL = 'a'", None),
    "a text in a text": ("X = '''\nURL = 'a'\n'''", None),
    "the environment": ("URL = os.environ['X']", Answer(None, 1)),
    "a call": ("URL = find()", Answer(None, 1)),
    "two cases": ("URL = 'a' if x else 'b'", Answer(None, 1, ("a", "b"))),
    "a branch": ("if x:\n    URL = 'a'\nelse:\n    URL = 'b'", Answer(None, 2, ("a", "b"))),
    "set again": ("URL = 'a'\nURL += find()", Answer(None, 1, ("a",))),
    "a hole": ("URL = f'https://{host}/'", Answer(None, 1)),
    "a format": ("HOST = 'a'\nURL = f'{HOST:>9}'", Answer(None, 2)),
    "itself": ("URL = URL", Answer(None, 1)),
}


@pytest.mark.parametrize(("text", "answer"), CASES.values(), ids=CASES)
def test_what_a_name_is(text: str, answer: Answer | None) -> None:
    assert read_constants(text).get("URL") == answer


def test_the_texts_of_a_list() -> None:
    assert read_constants("extensions = ['a', x, 'b']") == {"extensions[]": Answer("a\nb", 1)}
