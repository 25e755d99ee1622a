"""What `check` finds: files that a build would change, and required pages that are not listed."""

from __future__ import annotations

from ..rule import Rule

OUT_OF_DATE = Rule(
    "out-of-date",
    """A file of the sitemap is out of date.

    Fix: run `sitemapper build`, and publish what it writes.
    """,
)

REQUIRED = Rule(
    "required",
    """A required page is not listed.

    Fix: run `sitemapper explain` on it, or take it out of `required` under [check].
    """,
)

OF_CHECK = (OUT_OF_DATE, REQUIRED)
