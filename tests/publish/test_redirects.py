"""What would redirect a moved page is known with its fate."""

from __future__ import annotations

from collections.abc import Sequence

from support import BASE, NOW, Site, settings

from sitemapper import Fate, GoneUrl
from sitemapper.cli.words import message_text
from sitemapper.find.plan import make_plan
from sitemapper.hosts.redirect_lines import Redirect, RedirectWriter
from sitemapper.observer import Observer, Observers
from sitemapper.publish.redirects import list_redirect_notes, with_remedies

LOST = GoneUrl(f"{BASE}x", Fate.LOST)
MOVED = GoneUrl(f"{BASE}a", Fate.MOVED, f"{BASE}b")
STAR = GoneUrl(f"{BASE}a*", Fate.MOVED, f"{BASE}c")


class Listener(Observer):
    redirects: Sequence[Redirect] = ()

    def moved(self, writer: RedirectWriter, redirects: Sequence[Redirect]) -> None:
        self.redirects = redirects


def test_each_moved_url_has_its_line_and_the_observer_gets_all(site: Site) -> None:
    plan = make_plan(settings(site({"b.html": ""}), host="cloudflare"), NOW, None)
    listener = Listener()
    gone = with_remedies([LOST, MOVED, STAR], plan, Observers([listener]))
    assert gone == (LOST, MOVED._replace(remedy="_redirects: /a /b 301"), STAR)
    assert listener.redirects == [
        Redirect(MOVED.url, MOVED.target),
        Redirect(STAR.url, STAR.target),
    ]
    [note] = list_redirect_notes([*gone, STAR])
    assert message_text(note).startswith(
        f"--redirects: the host has no rule that matches only this moved URL: {STAR.url}; and 1 more"
    )


def test_without_a_moved_url_nothing_is_written(site: Site) -> None:
    plan = make_plan(settings(site({"b.html": ""})), NOW, None)
    listener = Listener()
    assert with_remedies([LOST], plan, listener) == (LOST,)
    assert listener.redirects == ()
    assert list(map(message_text, list_redirect_notes([LOST]))) == []
