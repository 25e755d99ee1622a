"""The last change that a source file states in its front matter, as `lastmod: 2026-05-01`.

Many people never update what their template for new pages wrote. So a date counts only if it is
later than that of publication, and if few files share it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ..model import Found, PossibleSource
from ..syntax.dates import Writer, read
from ..syntax.settings_files import parse
from ..syntax.source_text import FRONT_MATTER

# In lower case, because Pelican and docutils write `Modified`. `date` is missing on purpose: it is
# the day of publication.
_CHANGE_KEYS = (
    "lastmod",  # Hugo
    "last_modified_at",  # Jekyll
    "last_updated",
    "lastupdated",  # VitePress
    "last_update.date",  # Docusaurus
    "updated",  # Hexo, Zola, Nikola
    "modified",  # Pelican
    "datemodified",
    "revision_date",  # MkDocs
)
_PUBLICATION_KEYS = ("date", "pubdate", "publishdate")
_FRONT_LIMIT = 1 << 12  # bytes of a source; front matter stands at its beginning
# Each of the keys contains one of these. Most sources contain none, and need no parser.
_PARTS_OF_CHANGE_KEYS = (b"lastmod", b"last_update", b"updated", b"modified", b"revision_date")
# Lines above the text: `Modified: 2026-05-01` (Pelican), `:modified: 2026-05-01` (docutils),
# `.. updated: 2026-05-01` (Nikola).
_FIELDS = re.compile(
    r"""
    \s*+ (?:[^\n]+\n){0,3}? \n*+   # a title with its lines, and blank lines
    (?P<fields> (?: (?::|\.\.[ ])? [\w-]+ : [^\n]*\n )+ )
    """,
    re.VERBOSE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS = Writer(date_only=True)  # the format of dates that `read` returns: days in UTC
_FEWEST_SHARING = 5  # files; a few pages are often updated on one day


def read_change(data: bytes, name: str) -> Found | None:
    """Reads the last change that a source states in its front matter, with file and line.

    `lastmod: 2026-05-01` beside `date: 2026-03-01` → 2026-05-01. None if the source states no
    change, or if the text of the change is no date with a day.

    Also None if the change is not later than each day of publication that the source states. In 121
    of 174 real pages with both, a template for new pages had written the same day twice.
    """
    beginning = data[:_FRONT_LIMIT]
    beginning_in_lower_case = beginning.lower()
    if not any(part in beginning_in_lower_case for part in _PARTS_OF_CHANGE_KEYS):
        return None
    settings = _read_front_matter(beginning.decode("utf-8", "replace"), name)
    stated = (settings[key] for key in _CHANGE_KEYS if key in settings)
    change = next(stated, None)
    if change is None:
        return None
    day = day_of(change)
    if not day:
        return None
    for key in _PUBLICATION_KEYS:
        if key not in settings:
            continue
        published = day_of(settings[key])
        # If the day of publication cannot be read, the change may not be later.
        if not published or published >= day:
            return None
    return change


def _read_front_matter(text: str, name: str) -> dict[str, Found]:
    """Reads the front matter of a source: {key in lower case: its value, with file and line}.

    Front matter stands between two lines `---` (YAML) or `+++` (TOML). A file of Pelican or
    reStructuredText may have fields above its text instead: `:modified: 2026-05-01`.
    """
    text = text.removeprefix("\ufeff").replace("\r", "")
    front = FRONT_MATTER.match(text)
    # The pattern also matches a text without front matter, but then without a mark.
    if front and front["mark"]:
        lines_above = text.count("\n", 0, front.start("between"))
        return _read_settings(front["between"], name, lines_above, is_toml=front["mark"] == "+++")
    fields = _FIELDS.match(text)
    if fields:
        lines_above = text.count("\n", 0, fields.start("fields"))
        return _read_fields(fields["fields"], name, lines_above)
    return {}


def _read_settings(text: str, name: str, lines_above: int, *, is_toml: bool) -> dict[str, Found]:
    """Reads front matter in TOML or YAML: {key in lower case: its value, with file and line}.

    `lastMod: 2026-05-01` → `{"lastmod": …}`. `lines_above` is the number of lines in the file
    `name` before `text`: 1 for a line `---`. The first line of `text` is then line 2 of the file.
    """
    # `parse` chooses the syntax by the ending of a file name. It also notes this name as the file
    # of each value, so it is replaced below.
    name_for_syntax = "front.toml" if is_toml else "front.yaml"
    settings = {}
    for key, found in parse(text, name_for_syntax).items():
        line = found.line and found.line + lines_above
        settings[key.lower()] = found._replace(file=name, line=line)
    return settings


def _read_fields(text: str, name: str, lines_above: int) -> dict[str, Found]:
    """Reads fields, one in each line: {name in lower case: its value, with file and line}.

    `:Modified: 2026-05-01` and `.. modified: 2026-05-01` → `{"modified": …}`. `lines_above` is the
    number of lines in the file before `text`: 2 for a title with its underline. The first line of
    `text` is then line 3 of the file. If a field comes twice, the first one counts.
    """
    settings: dict[str, Found] = {}
    for line, row in enumerate(text.splitlines(), lines_above + 1):
        prefixed_key, _, value = row.partition(": ")
        key = prefixed_key.lstrip(":. ").rstrip(":").lower()
        settings.setdefault(key, Found(value.strip(), name, line))
    return settings


def day_of(date: Found) -> str:
    """Returns the day of a date as its author wrote it, in the author's time zone.

    2026-05-01T23:00-05:00    2026-05-01, although it is 2 May in UTC
    1 May 2026                2026-05-01
    2026-05                   "", because it has no day
    true, {{ .Date }}         "", because it is no date
    """
    try:
        day_in_utc = read(date.text, _DAYS).text
    except ValueError:  # it is no date
        return ""
    # The evening of 1 May in New York is on 2 May in UTC, so the day is taken as it is written.
    written_day = _DAY.match(date.text)
    if written_day:
        return written_day[0]
    # The date is in words, as `1 May 2026`, or it is only a month, as `2026-05`.
    has_day = _DAY.fullmatch(day_in_utc) is not None
    return day_in_utc if has_day else ""


def without_shared_day(
    sources: Mapping[str, Sequence[PossibleSource]], days: Counter[str]
) -> dict[str, tuple[PossibleSource, ...]]:
    """Removes the stated changes on a day that more than half of all stated changes have.

    If 90 of 120 files state `lastmod: 2020-01-01`, an import probably wrote this line, and it is
    no edit. At least five files must share the day, because a few are often edited on one day.

    `sources` has the possible sources of each page. `days` counts the files that state a change, by
    the day of this change: {"2020-01-01": 90, …}.
    """
    shared = ""
    for day, files in days.items():
        if files >= _FEWEST_SHARING and 2 * files > days.total():
            shared = day  # no other day can have more than half of the files
    kept: dict[str, tuple[PossibleSource, ...]] = {}
    for page, possible in sources.items():
        left = []
        for file in possible:
            is_of_import = file.change is not None and day_of(file.change) == shared
            left.append(file._replace(change=None) if is_of_import else file)
        kept[page] = tuple(left)
    return kept
