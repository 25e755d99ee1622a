"""What a file of settings says of a key: a literal value, nothing, or what only code can tell."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple


class NotLiteral(Enum):
    """The type of `NOT_LITERAL`."""

    NOT_LITERAL = auto()


NOT_LITERAL = NotLiteral.NOT_LITERAL  # in place of a value that only running the file would tell
ANYTHING = "*"  # in place of a key's last part: the table may have more keys


class Answer(NamedTuple):
    """What a file says of a key that stands in it.

    `text` is its literal value, None if only running the file would tell it. `line` is the number
    of the key's line, None if it is not known.
    """

    text: str | None
    line: int | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether only running the file would tell the value."""
        return self.text is None


Answers = Mapping[str, Answer]  # by key; a key in a table is `table.key`


def answer_for(answers: Answers, key: str) -> Answer | None:
    """What a file says of a key, None if it does not set it.

    A key is unknown, too, if that of a table above it is, or if the table may have more keys.
    """
    if key in answers:
        return answers[key]
    above = key
    while above:
        above = above.rpartition(".")[0]
        inside = answers.get(f"{above}.{ANYTHING}" if above else ANYTHING)
        if inside and inside.is_unknown:
            return inside
        table = answers.get(above)
        if table and table.is_unknown:
            return table
    return None
