"""What sitemapper says: one type for all of it. `cli/words.py` has the sentences."""

from enum import StrEnum, auto
from typing import NamedTuple


class Kind(StrEnum):
    """What a message is about. Its value is its name in JSON, as in "other_origin"."""

    # Warnings, in the order in which they are printed.
    OTHER_ORIGIN = auto()
    BASE_URL = auto()
    PROJECT = auto()
    IDLE = auto()
    SELECTOR = auto()
    INCLUDE = auto()
    UNREADABLE = auto()
    TOO_LONG = auto()
    MISSING = auto()
    FORM = auto()
    SCHEME = auto()
    HIDDEN = auto()
    HOSTS = auto()
    HOST = auto()
    CATCH_ALL = auto()
    OLDER = auto()
    HREFLANG = auto()
    HREFLANG_MISSING = auto()
    TWO_FILES = auto()
    IMPLAUSIBLE = auto()
    GIT = auto()
    SHALLOW = auto()
    UNCHECKED = auto()
    UNIFORM = auto()
    REPLACED = auto()
    FORMS = auto()
    FOREIGN = auto()
    LEFT = auto()
    UNLOCKED = auto()
    STALE_ROBOTS = auto()


class Message(NamedTuple):
    """One thing to say: its kind, the pages, files or facts that it is about, and what to do.

    A message may stand for more cases than it names: `cases` is their number. `help` is set where
    what to do differs from case to case.
    """

    kind: Kind
    subjects: tuple[str, ...] = ()
    cases: int = 1
    help: str = ""
