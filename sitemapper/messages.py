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
    CIRCLE = auto()
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

    # Notes.
    CHANGES_OF_FIRST_RUN = auto()
    DATES_LOST = auto()
    GENERATED_SITEMAP = auto()
    HOST_RULES_UNREAD = auto()
    LARGE_PAGES = auto()
    LEDGER_IS_LOCAL = auto()
    LEDGER_IS_NEW = auto()
    LEDGER_NEEDED = auto()
    LEDGER_OF_FIRST_RUN = auto()
    LINKED_SITEMAP = auto()
    LOST = auto()
    MANY_SOURCES = auto()
    MOVED = auto()
    OLD_COPIES = auto()
    PATTERN_TYPO = auto()
    PREVIOUS_EMPTY = auto()
    PREVIOUS_MISSING = auto()
    PREVIOUS_OUTSIDE = auto()
    PROJECT_FILE = auto()
    REPLACED_SITEMAP = auto()
    ROBOTS_LINE = auto()
    SPLIT = auto()
    UNDATED = auto()
    UNDATED_LISTS = auto()
    URL_STYLE = auto()
    VERSIONS = auto()

    # Notes of `verify`.
    ANSWERS_MISSING = auto()
    MANY_CLOSED = auto()
    MANY_NOINDEX = auto()
    MANY_PATTERNS = auto()
    MANY_REDIRECTED = auto()
    NONE_REQUESTED = auto()
    PENDING = auto()
    PREVIEW = auto()
    REQUESTED = auto()
    REQUESTED_UNTIL_LIMIT = auto()


class Message(NamedTuple):
    """A warning or a note: its kind, and the pages, files or facts that it is about.

    `Message(Kind.UNREADABLE, ("a.html", "b.html"), cases=9)` → "not listed: the file cannot be
    read: a.html; b.html; and 7 more". `cases` counts also those that are not named. Each kind has
    advice on what to do. A `help` replaces it in one message.
    """

    kind: Kind
    subjects: tuple[str, ...] = ()
    cases: int = 1
    help: str = ""
