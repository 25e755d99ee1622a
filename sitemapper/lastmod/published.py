"""The dates in the sitemap that was committed with the pages, by URL, in a temporary database."""

import sqlite3
from collections.abc import Iterable, Sequence

from .repository import GitError

_ROWS = "CREATE TABLE rows (url TEXT PRIMARY KEY, date TEXT, file TEXT) WITHOUT ROWID"
_AT_ONCE = 500  # variables of one query; old versions of SQLite allow 999


class PublishedDates:
    """The rows of a published sitemap. SQLite's page cache bounds memory. Close it."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(_ROWS)

    def add(self, file: str, rows: Iterable[tuple[str, str]]) -> None:
        """Adds the rows of a file: URLs and their dates, "" for none. Raises GitError."""
        try:
            self._database.execute("BEGIN")
            named = ((url, date, file) for url, date in rows)
            self._database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", named)
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise GitError(f"no room for a temporary database ({error})") from None

    def dates(self, urls: Sequence[str]) -> dict[str, str]:
        """The dates of the URLs that are in the sitemap, "" for those without one."""
        found: dict[str, str] = {}
        for start in range(0, len(urls), _AT_ONCE):
            some = urls[start : start + _AT_ONCE]
            query = f"SELECT url, date FROM rows WHERE url IN ({','.join('?' * len(some))})"
            found.update(self._database.execute(query, some))
        return found

    def file_of(self, url: str) -> str:
        """The name of the file that lists a URL."""
        query = "SELECT file FROM rows WHERE url = ?"
        [file] = self._database.execute(query, (url,)).fetchone()
        return str(file)

    def close(self) -> None:
        """Removes the database."""
        self._database.close()
