"""What `check` finds, in the formats of findings."""

from ..model import Rule, Severity

OUT_OF_DATE = Rule(
    "out-of-date",
    Severity.ERROR,
    "A file of the sitemap is out of date.",
    fix="run `sitemapper build`, and publish what it writes.",
)
REQUIRED = Rule(
    "required",
    Severity.ERROR,
    "A required page is not listed.",
    fix="run `sitemapper explain` on it, or take it out of `required` under [check].",
)
LOST = Rule(
    "lost",
    Severity.WARNING,
    "A published URL leads nowhere now.",
    fix="redirect it, or list it in `gone` under [check].",
)
MOVED = Rule(
    "moved",
    Severity.WARNING,
    "A published page has another URL now, without a redirect.",
    fix="redirect the old URL to the new one.",
)
OF_CHECK = (
    OUT_OF_DATE,
    REQUIRED,
    LOST,
    MOVED,
)
