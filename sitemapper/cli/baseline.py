"""`--baseline`: findings that are known, and fail no check until a date."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date

from ..errors import SitemapperError
from ..linter import Finding
from .text import plural, shown

_HEAD = """\
# Findings that are known: sitemapper --baseline does not fail for them, --write-baseline writes this file.
# A line such as `until = 2027-01-31` in an entry is its last day.
"""
_Key = tuple[str, str, str]


class Baseline:
    """The entries of a file, each with its last day, if it has one."""

    def __init__(self, path: str) -> None:
        """Raises SitemapperError if the file is no baseline, OSError if it cannot be read."""
        self._path = path
        self._expired = self._matched = 0
        try:
            with open(path, "rb") as file:
                values = tomllib.load(file)
            if more := values.keys() - {"known"}:
                raise ValueError(f"it has the key {min(more)!r}")
        except (ValueError, RecursionError) as error:
            problem = f"{path}: is not a baseline: {error}"
            raise SitemapperError(problem, "name a file that --write-baseline wrote") from None
        entries = values.get("known", [])
        if not isinstance(entries, list):
            raise SitemapperError(f"{path}: known: must be a list of tables", "write [[known]]")
        self._until = dict(self._read(n, entry) for n, entry in enumerate(entries))
        self._unmet = set(self._until)

    def _read(self, n: int, entry: object) -> tuple[_Key, date | None]:
        match entry:
            case {"code": str(code), "file": str(file), "message": str(message), **rest}:
                until = rest.get("until")
                if until is None or type(until) is date:
                    return (code, file, message), until
        what = "must have the texts code, file and message, and may have a date, until"
        raise SitemapperError(f"{self._path}: known[{n}]: {what}")

    def unknown(self, findings: Iterable[Finding], today: date) -> Iterator[Finding]:
        """The findings that are not known, or not any more."""
        for finding in findings:
            key = _key(finding)
            until = self._until.get(key)
            is_over = until is not None and until < today
            self._expired += is_over
            self._unmet.discard(key)
            if is_over or key not in self._until:
                yield finding
            else:
                self._matched += 1

    def notes(self) -> Iterator[str]:
        """What to know of the file, once all findings were heard."""
        if self._matched:
            yield f"{self._path}: {plural(self._matched, 'known finding')} left out"
        if self._expired:
            yield f"{self._path}: the last day of {plural(self._expired, 'known finding')} is over"
        if self._unmet:
            gone = plural(len(self._unmet), "entry")
            yield f"{self._path}: {gone} not found any more; --write-baseline removes them"

    def text(self, findings: Iterable[Finding]) -> str:
        """The file for these findings; entries that stay keep their last day."""
        keys = sorted({_key(finding) for finding in findings})
        return _HEAD + "".join(_entry(key, self._until.get(key)) for key in keys)


def _key(finding: Finding) -> _Key:
    """What a finding is known by: not by the numbers of lines, which move."""
    message = re.sub(r"\bline \d+", "line *", shown(finding.message))
    return finding.code, shown(finding.file).replace(os.sep, "/"), message


def _entry(key: _Key, until: date | None) -> str:
    code, file, message = (json.dumps(text, ensure_ascii=False) for text in key)  # TOML reads JSON's strings
    last = f"until = {until}\n" if until else ""
    return f"\n[[known]]\ncode = {code}\nfile = {file}\nmessage = {message}\n{last}"
