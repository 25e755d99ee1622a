"""What became of URLs that were published before and are not listed now.

| is now | because |
|---|---|
| redirected | a rule of the host or the page itself leads to another URL, where something is |
| withdrawn | the file is there and left out, or `[check] gone` names the URL |
| lost | nothing is there, or it leads to where nothing is |

A lost URL may also have moved: moved.py looks for its content at other URLs.
"""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ..hosts.rule import Rule
from ..long_list import LongList
from ..model import Excluded, Fate, GoneUrl, Listed, Origin, PageFacts, Reason
from ..plan import Plan
from ..read.server import file_for_url_path
from ..select.alone import select_extra, select_file
from ..select.pages import SelectedPage
from ..syntax.links import base_of
from ..syntax.urls import comparison_key, folder_of, resolve, without_scheme, without_www

# No site has pages with this name. A rule that answers there answers for all URLs (`/* / 301`), or
# for all with the same ending.
_MADE_UP = "sitemapper-asks-for-a-page-that-is-not-there"
_ENDINGS = ("", "/", ".html")
# The signals of a page in which it names another URL, by the reason for which it is left out.
_SIGNALS = {Reason.REDIRECT: "refresh", Reason.CANONICAL: "canonical"}


def classify_gone(
    urls: Iterable[str], plan: Plan, unreadable: Mapping[str, Origin]
) -> LongList[GoneUrl]:
    """What became of each URL, in their order.

    Pages in the `unreadable` folders may still be there, so their URLs are not lost.
    """
    classifier = _Classifier(plan, unreadable)
    gone: LongList[GoneUrl] = LongList()
    for url in urls:
        gone.append(classifier.classify(url))
    return gone


class _Classifier:
    """Says what became of a URL, by what the site and its possible hosts answer there now."""

    def __init__(self, plan: Plan, unreadable: Mapping[str, Origin]) -> None:
        self._plan = plan
        self._unreadable = unreadable
        self._locator = plan.policy.locator
        self._rules_for_all = self._find_rules_for_all()

    def classify(self, url: str) -> GoneUrl:
        """What became of a URL: redirected, withdrawn or lost."""
        loc = self._at_base(url)
        path = self._path_of(loc)
        if path is None:
            return GoneUrl(url, Fate.LOST)
        for folder, origin in self._unreadable.items():
            if path.startswith(folder):
                return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
        gone = self._classify_by_answer(url, loc)
        if gone.fate is not Fate.LOST:
            return gone
        # The URL of a folder is matched like its index page.
        file = f"{path}index.html" if not path or path.endswith("/") else path
        pattern = self._plan.gone.deciding_pattern(file)
        if pattern and not pattern.negated:
            return gone._replace(fate=Fate.WITHDRAWN, origin=pattern.origin)
        return gone

    def _at_base(self, url: str) -> str:
        """A URL with the scheme and the host of the base URL, which may be new."""
        base = self._locator.base
        _, slash, path = without_scheme(url).partition("/")
        return base.removesuffix(urlsplit(base).path) + (slash or "/") + path

    def _path_of(self, url: str) -> str | None:
        """The decoded path of a URL below the base, without its query. None for other URLs."""
        return self._locator.path_of(url.partition("?")[0])

    def _file_at(self, url: str) -> str | None:
        """The file of the site at a URL, None if there is none."""
        path = self._path_of(url)
        if path is None:
            return None
        return file_for_url_path(self._plan.root, path, self._locator.served)

    def _classify_by_answer(self, url: str, loc: str) -> GoneUrl:
        """What became of a URL by what is at `loc`, which is this URL below the base."""
        plan = self._plan
        extra = plan.extra.get(comparison_key(loc))
        if extra:
            result = select_extra(extra, plan.policy, plan.read_options, plan.root)
            if isinstance(result, Listed):
                return _listed_elsewhere(url, result.loc, file="", is_doubtful=True)
            return GoneUrl(url, Fate.WITHDRAWN, origin=result.origin)
        loc = loc.partition("?")[0]
        file = self._file_at(loc)
        if file is None:
            return self._classify_by_rules(url, loc)
        return self._classify_by_file(url, loc, file)

    def _classify_by_rules(self, url: str, loc: str) -> GoneUrl:
        """What became of a URL without a file. A redirect of any possible host counts first."""
        rules = self._rules_for(loc)
        rules.sort(key=lambda rule: rule.action is not Reason.REDIRECT)
        for rule in rules:
            if rule.action is Reason.CLOSED:
                return GoneUrl(url, Fate.WITHDRAWN, origin=rule.origin)
            if rule.action in (Reason.REDIRECT, Reason.DUPLICATE):
                return self._leads_to(url, self._target_of_rule(rule), rule.origin)
        return GoneUrl(url, Fate.LOST)

    def _classify_by_file(self, url: str, loc: str, file: str) -> GoneUrl:
        """What became of a URL at which the site has a file.

        A redirect of a possible host counts first, unless the page is listed at just this URL: then
        some hosts show it.
        """
        page = self._select(file)
        result = page.result
        redirect = None
        if not (isinstance(result, Listed) and result.loc == loc):
            redirect = self._rule_at(loc, file, Reason.REDIRECT)
        if redirect and self._file_at(self._target_of_rule(redirect)) != file:
            return self._leads_to(url, self._target_of_rule(redirect), redirect.origin)
        if isinstance(result, Listed):
            is_answered = redirect is not None or self._is_answered(loc, file)
            is_doubtful = loc != url or not is_answered
            return _listed_elsewhere(url, result.loc, file, is_doubtful=is_doubtful)
        target = self._target_of_page(file, page.facts, result)
        if target is None:
            return GoneUrl(url, Fate.WITHDRAWN, origin=result.origin)
        gone = self._leads_to(url, target, result.origin)
        shows_page = result.reason is not Reason.REDIRECT
        if gone.fate is Fate.LOST and shows_page:  # its canonical names a URL where nothing is
            return gone._replace(fate=Fate.WITHDRAWN)
        return gone

    def _select(self, file: str) -> SelectedPage:
        """Whether a file is listed, also if the walk does not reach it."""
        plan = self._plan
        pattern = plan.root.ignore.deciding_pattern(file)
        origin = Origin(file, None, "is behind a link that is not followed")
        if pattern and not pattern.negated:
            origin = pattern.origin
        elif not plan.root.include.matches(file):
            origin = Origin("include", None, "no pattern matches")
        else:
            page = select_file(file, plan.policy, plan.read_options, plan.root)
            if page:
                return page
        return SelectedPage(Excluded(file, Reason.IGNORED, origin))

    def _leads_to(self, url: str, target: str, origin: Origin) -> GoneUrl:
        """What became of a URL that leads to another one, "" if that is not known.

        It is redirected if anything is there, or if that is another site. It is lost otherwise.
        Chains of redirects are not followed.
        """
        is_there = (
            self._path_of(target) is None
            or self._file_at(target) is not None
            or comparison_key(target) in self._plan.extra
            or bool(self._rules_for(target))
        )
        return GoneUrl(url, Fate.REDIRECTED if is_there else Fate.LOST, target, origin)

    def _is_answered(self, url: str, file: str) -> bool:
        """Whether servers are known to answer at a URL of a page, whose file is given.

        Every server knows the name of a file, and a folder without its slash: `a.html`, and `a` for
        `a/index.html`. Whether `a` shows `a.html` depends on the host.
        """
        path = self._path_of(url)
        if path == file or f"{path}/" == folder_of(file):
            return True
        served = self._locator.served
        return served is not None and path in served.paths(file, self._locator.indexes)

    def _target_of_page(self, file: str, facts: PageFacts, excluded: Excluded) -> str | None:
        """The URL to which a page leads that is not listed.

        That is its redirect, its canonical, or the page that the server prefers. "" if the URL is
        not known, None if the page leads nowhere.
        """
        reason = excluded.reason
        if reason not in (*_SIGNALS, Reason.DUPLICATE):
            return None
        loc = self._locator.loc(file)
        text = facts.metadata.signals.get(_SIGNALS.get(reason, ""))
        if text is not None:
            return self._with_base_host(resolve(text, base_of(facts.metadata, loc)) or "")
        rule = self._rule_at(loc, file, reason)
        if rule:
            return self._target_of_rule(rule)
        if reason is Reason.DUPLICATE:  # `b/index.html` beside `b.html`
            return self._locator.loc(excluded.origin.source)
        return "" if reason is Reason.REDIRECT else None

    def _find_rules_for_all(self) -> frozenset[Origin]:
        """The rules that answer at URLs that never existed. They say nothing about a lost URL."""
        made_up = [f"{self._locator.base}{_MADE_UP}{ending}" for ending in _ENDINGS]
        policy = self._plan.policy
        return frozenset(rule.origin for url in made_up for rule in policy.moves_on_missing(url))

    def _rules_for(self, loc: str) -> list[Rule]:
        """The rules of possible hosts for a URL without a file, except those for all URLs."""
        rules = self._plan.policy.moves_on_missing(loc)
        return [rule for rule in rules if rule.origin not in self._rules_for_all]

    def _rule_at(self, loc: str, file: str, action: Reason) -> Rule | None:
        """The first rule of a possible host that does one thing with a page at a URL."""
        for rule in self._plan.policy.rules_at(loc, file):
            if rule and rule.action is action:
                return rule
        return None

    def _target_of_rule(self, rule: Rule) -> str:
        """The URL to which a rule leads, "" if that is not known."""
        return self._with_base_host(self._plan.policy.target_of(rule))

    def _with_base_host(self, url: str) -> str:
        """A URL that differs from the base URL only by `www.` or the scheme, written like this one.

        With the base `https://a.example/`, `http://www.a.example/b` → `https://a.example/b`. Other
        URLs stay as they are.
        """
        base = self._locator.base
        path = without_www(url).removeprefix(without_www(base))
        return url if path == without_www(url) else base + path


def _listed_elsewhere(url: str, loc: str, file: str, *, is_doubtful: bool) -> GoneUrl:
    """What became of a URL whose page is listed at another one."""
    origin = Origin(file)
    if loc == url:  # it would be listed, if no other page had this URL
        return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
    return GoneUrl(url, Fate.REDIRECTED, loc, origin, is_form=True, is_doubtful=is_doubtful)
