"""What redirects the pages that moved, for messages and for `--redirects`."""

from collections.abc import Iterator, Sequence

from ..messages import Kind, Message
from ..model import Fate, GoneUrl
from ..observer import Observer
from ..plan import Plan


def with_remedies(gone: Sequence[GoneUrl], plan: Plan, observer: Observer) -> tuple[GoneUrl, ...]:
    """The same URLs. Those that moved know what would redirect them, and the observer, too."""
    if not any(one.fate is Fate.MOVED for one in gone):
        return tuple(gone)
    # Imported here: most runs find no URL that moved.
    from ..hosts.redirect_lines import Redirect, redirect_writer

    writer = redirect_writer(plan.policy.host, plan.site.base_url)
    redirects: list[Redirect] = []
    known: list[GoneUrl] = []
    for one in gone:
        if one.fate is Fate.MOVED:
            redirect = Redirect(one.url, one.target)
            redirects.append(redirect)
            one = one._replace(remedy=writer.remedy(redirect))
        known.append(one)
    observer.moved(writer, redirects)
    return tuple(known)


def list_redirect_notes(gone: Sequence[GoneUrl]) -> Iterator[Message]:
    """A note on the moved URLs for which the host's rules have no exact pattern."""
    without = [one.url for one in gone if one.fate is Fate.MOVED and not one.remedy]
    if without:
        yield Message(Kind.MOVED_WITHOUT_RULE, (without[0],), len(without))
