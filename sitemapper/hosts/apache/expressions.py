"""The expressions of `<If>`, `Require expr`, `expr=` and `RewriteCond expr` (ap_expr)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from .patterns import Pattern
from .request import Context, Files, is_file_test, kind_of_file, why_text_unknown
from .truth import Truth, all_of, any_of, negated

_DEEPEST = 50  # groups in each other
# Before Python 3.11.5, a possessive repetition may fail where its part backtracks (gh-106052). So
# that up to the mark is greedy.
_TOKEN = re.compile(
    r"""
      \s*+ (?:
        (?P<string> '[^']*+' | "[^"]*+" )
      | (?P<regex> m (?P<mark> [#|!%,;@] ) (?P<marked> (?: (?!(?P=mark)) . )* ) (?P=mark) i?
          | / (?P<slashed> (?: \\. | [^/\\] )*+ ) / (?P<flags> i? ) )
      | (?P<variable> %\{ [^{}]*+ \} )
      | (?P<operator> && | \|\| | =~ | !~ | == | != | <= | >= | [=<>!(){},] )
      | (?P<word> -?[\w.:]++ )
      )
    """,
    re.VERBOSE | re.DOTALL,
)
_SAME = ("==", "=", "-eq", "eq", "-strmatch")
_OTHER = ("!=", "-ne", "ne")
_MATCH = ("=~", "!~")
_TESTS = ("-f", "-d", "-e", "-s", "-l", "-h", "-x", "-F", "-U", "-L")

Evaluate = Callable[[Context, Files], Truth]


class _Token(NamedTuple):
    kind: str
    text: str


class Expression:
    """An expression. Raises ValueError if it is not understood.

    `unknown` says why it can never be decided, "" if it may be.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = 0
        self._depth = 0
        self._evaluate = self._either()
        if self._next != len(self._tokens):
            raise ValueError(text)
        self.unknown = why_text_unknown(text)

    def holds(self, context: Context, files: Files) -> Truth:
        """Whether it holds for a request."""
        return self._evaluate(context, files)

    def _peek(self) -> str:
        if self._next == len(self._tokens):
            return ""
        token = self._tokens[self._next]
        return token.text.lower() if token.kind in ("operator", "word") else ""

    def _take(self) -> _Token:
        if self._next == len(self._tokens):
            raise ValueError("the expression is cut off")
        self._next += 1
        return self._tokens[self._next - 1]

    def _either(self) -> Evaluate:
        parts = [self._both()]
        while self._peek() in ("||", "or"):
            self._take()
            parts.append(self._both())
        if len(parts) == 1:
            return parts[0]
        return partial(_any_of, parts)

    def _both(self) -> Evaluate:
        parts = [self._one()]
        while self._peek() in ("&&", "and"):
            self._take()
            parts.append(self._one())
        if len(parts) == 1:
            return parts[0]
        return partial(_all_of, parts)

    def _one(self) -> Evaluate:
        word = self._peek()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("too many groups")
        evaluate = self._special(word)
        self._depth -= 1
        return evaluate or self._comparison()

    def _special(self, word: str) -> Evaluate | None:
        """A negation, a group, a constant or a test of one value. None for a comparison."""
        if word not in ("!", "(", "true", "false", "-n", "-z") and word not in _TESTS:
            return None
        self._take()
        if word == "!":
            return partial(_negated, self._one())
        if word == "(":
            inner = self._either()
            if self._take().text != ")":
                raise ValueError("a group without an end")
            return inner
        if word in ("true", "false"):
            return partial(_constant, word == "true")
        subject = _text_of(self._take())
        if word in ("-n", "-z"):
            return partial(_is_empty, subject, word == "-z")
        return partial(_is_file, subject, word)

    def _comparison(self) -> Evaluate:
        subject = _text_of(self._take())
        operator = self._take().text.lower()
        if operator in _MATCH:
            token = self._take()
            if token.kind not in ("regex", "string"):
                raise ValueError(token.text)
            is_match = partial(_is_match, subject, _pattern_of(token))
            return is_match if operator == "=~" else partial(_negated, is_match)
        if operator in ("in", "-in"):
            return partial(_any_of, [partial(_is_same, subject, one) for one in self._list()])
        if operator not in (*_SAME, *_OTHER) or operator == "-strmatch":
            self._take()
            return partial(_constant, None)
        is_same = partial(_is_same, subject, _text_of(self._take()))
        return is_same if operator in _SAME else partial(_negated, is_same)

    def _list(self) -> list[str]:
        """The texts in braces."""
        if self._take().text != "{":
            raise ValueError("a list without braces")
        texts = [_text_of(self._take())]
        while self._peek() == ",":
            self._take()
            texts.append(_text_of(self._take()))
        if self._take().text != "}":
            raise ValueError("a list without an end")
        return texts


def _tokens(text: str) -> list[_Token]:
    """The tokens of an expression. Raises ValueError for what is none."""
    tokens = []
    position = 0
    stripped = text.rstrip()
    while position < len(stripped):
        found = _TOKEN.match(stripped, position)
        if found is None:
            raise ValueError(text)
        kind = next(k for k in ("string", "regex", "variable", "operator", "word") if found[k])
        tokens.append(_Token(kind, found[kind]))
        position = found.end()
    return tokens


def _text_of(token: _Token) -> str:
    """The text for which a token stands, with its variables."""
    if token.kind == "string":
        return token.text[1:-1]
    if token.kind in ("variable", "word"):
        return token.text
    raise ValueError(token.text)


def _pattern_of(token: _Token) -> Pattern:
    """The pattern of `m#…#i`, `/…/i` or a text. Raises ValueError."""
    ignores_case = token.kind == "regex" and token.text.endswith("i")
    text = token.text.removesuffix("i") if ignores_case else token.text
    if token.kind == "regex" and text.startswith("m"):
        text = text[1:]
    return Pattern(text[1:-1].replace("\\/", "/"), ignores_case=ignores_case)


def _all_of(parts: list[Evaluate], context: Context, files: Files) -> Truth:
    return all_of(part(context, files) for part in parts)


def _any_of(parts: list[Evaluate], context: Context, files: Files) -> Truth:
    return any_of(part(context, files) for part in parts)


def _negated(part: Evaluate, context: Context, files: Files) -> Truth:
    return negated(part(context, files))


def _constant(value: Truth, _context: Context, _files: Files) -> Truth:
    return value


def _is_match(subject: str, pattern: Pattern, context: Context, _: Files) -> Truth:
    text = context.expand(subject)
    return None if text is None else pattern.matches(text)


def _is_same(subject: str, other: str, context: Context, _: Files) -> Truth:
    text = context.expand(subject)
    expected = context.expand(other)
    if text is None or expected is None:
        return None
    return text == expected


def _is_empty(subject: str, expected: bool, context: Context, _: Files) -> Truth:
    text = context.expand(subject)
    return None if text is None else (text == "") == expected


def _is_file(subject: str, test: str, context: Context, files: Files) -> Truth:
    text = context.expand(subject)
    if text is None or text == subject:
        return None
    return is_file_test(test, kind_of_file(files, context.root, text))
