"""What became of URLs that were published before and are not listed now."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from urllib.parse import urlsplit

from ..hosts.rule import Rule
from ..model import Excluded, Fate, GoneUrl, Listed, Origin, PageFacts, Reason
from ..plan import Plan
from ..read.facts import ReadOptions
from ..read.page import PageReader
from ..read.server import file_for_url_path, find_page, kind_at
from ..select.alone import select_extra, select_file
from ..syntax.gitignore import Patterns
from ..syntax.links import base_of
from ..syntax.urls import comparison_key, folder_of, resolve, without_scheme, without_www

# No site has pages with this name. A rule that answers there answers for all URLs (`/* / 301`), or
# for all with the same ending.
_MADE_UP = "sitemapper-asks-for-a-page-that-is-not-there"
_ENDINGS = ("", "/", ".html")
_TEXT = ReadOptions(signals=None, dates=False, digest=None, images=False, shown=True)
_LEAST = 100  # bytes of text by which a page is known

_NO_FOLDERS: Mapping[str, Origin] = MappingProxyType({})

# Finds the new URLs of those whose content is at another URL now.
FindMoved = Callable[[Sequence[str]], Mapping[str, str]]


def classify_gone(
    urls: Iterable[str],
    plan: Plan,
    expected: Patterns,
    find_moved: FindMoved,
    unreadable: Mapping[str, Origin] = _NO_FOLDERS,
) -> tuple[GoneUrl, ...]:
    """What became of each URL, in their order. `expected` match URLs that are gone on purpose.

    Pages in the `unreadable` folders may still be there, so their URLs are not lost.
    """
    answers = _Answers(plan)
    fates: dict[str, GoneUrl] = {}
    for url in urls:
        path = answers.path_of(answers.at_base(url))
        folder = next((folder for folder in unreadable if path.startswith(folder)), None)
        if folder is not None:
            fates[url] = GoneUrl(url, Fate.WITHDRAWN, origin=unreadable[folder])
            continue
        gone = answers.fate(url)
        if gone.fate is Fate.LOST:
            gone = _unless_expected(gone, path, expected)
        fates[url] = gone
    without_answer = [
        url for url, gone in fates.items() if gone.fate is Fate.LOST and gone.origin is None
    ]
    if without_answer:
        for url, new_url in find_moved(without_answer).items():
            if answers.shows_text(new_url):
                fates[url] = GoneUrl(url, Fate.MOVED, new_url, _origin_of_ledger(plan))
    return tuple(fates.values())


def _origin_of_ledger(plan: Plan) -> Origin:
    label = plan.ledger.label if plan.ledger else "ledger"
    return Origin(label, None, "the same content")


def _unless_expected(gone: GoneUrl, path: str, expected: Patterns) -> GoneUrl:
    """The fate of a lost URL: withdrawn if a pattern of the user names it.

    The URL of a folder is matched like its index page.
    """
    if not path or path.endswith("/"):
        path = f"{path}index.html"
    pattern = expected.verdict(path)
    if pattern is None or pattern.negated:
        return gone
    return gone._replace(fate=Fate.WITHDRAWN, origin=pattern.origin)


class _Answers:
    """What the site and its possible hosts answer at URLs."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._locator = plan.policy.locator
        self._look = partial(kind_at, plan.root)
        self._rules_for_all = self._find_rules_for_all()

    def path_of(self, url: str) -> str:
        """The decoded path of a URL below the base, without its query. "" for other URLs."""
        return self._locator.path_of(url.partition("?")[0]) or ""

    def at_base(self, url: str) -> str:
        """A URL with the scheme and the host of the base URL, which may be new."""
        base = self._locator.base
        _, slash, path = without_scheme(url).partition("/")
        return base.removesuffix(urlsplit(base).path) + (slash or "/") + path

    def fate(self, url: str) -> GoneUrl:
        """The fate of a URL, by what is at this URL. It is lost if nothing is."""
        loc = self.at_base(url)
        if self._is_elsewhere(loc):
            return GoneUrl(url, Fate.LOST)
        plan = self._plan
        extra = plan.extra.get(comparison_key(loc))
        if extra:
            verdict = select_extra(extra, plan.policy, plan.read_options, plan.root)
            if isinstance(verdict, Listed):
                return _fate_of_listed(url, verdict.loc, file="", is_doubtful=True)
            return GoneUrl(url, Fate.WITHDRAWN, origin=verdict.origin)
        loc = loc.partition("?")[0]
        file = self._file_at(loc)
        if file is None:
            return self._fate_by_rules(url, loc)
        return self._fate_of_file(url, loc, file)

    def shows_text(self, url: str) -> bool:
        """Whether the page at a URL has enough text of its own to be known by it.

        Pages that say only "coming soon" are alike, and none of them is another one that has moved.
        """
        root = self._plan.root
        file = self._file_at(url)
        page = find_page(root, file) if file else None
        if page is None:
            return False
        facts = PageReader(root, _TEXT).facts(page)
        return isinstance(facts, PageFacts) and facts.shown is not None and facts.shown[1] >= _LEAST

    def _find_rules_for_all(self) -> frozenset[Origin]:
        """The rules that answer at URLs that never existed. They say nothing about a lost URL."""
        made_up = [f"{self._locator.base}{_MADE_UP}{ending}" for ending in _ENDINGS]
        policy = self._plan.policy
        found = [policy.moves_on_missing(url) for url in made_up]
        return frozenset(rule.origin for rules in found for rule in rules)

    def _rules_for(self, loc: str) -> list[Rule]:
        """The rules of possible hosts for a URL without a file, except those for all URLs."""
        rules = self._plan.policy.moves_on_missing(loc)
        return [rule for rule in rules if rule.origin not in self._rules_for_all]

    def _fate_by_rules(self, url: str, loc: str) -> GoneUrl:
        """The fate of a URL without a file. A redirect of any possible host counts first."""
        rules = self._rules_for(loc)
        rules.sort(key=lambda rule: rule.action is not Reason.REDIRECT)
        for rule in rules:
            if rule.action is Reason.CLOSED:
                return GoneUrl(url, Fate.WITHDRAWN, origin=rule.origin)
            if rule.action in (Reason.REDIRECT, Reason.DUPLICATE):
                return self._redirected(url, self._target_of_rule(rule), rule.origin)
        return GoneUrl(url, Fate.LOST)

    def _fate_of_file(self, url: str, loc: str, file: str) -> GoneUrl:
        """The fate of a URL at which the site has a file.

        A page that is listed there answers itself, although some possible host may redirect it.
        """
        left_out = self._left_out(file)
        outcome = None
        if not left_out:
            plan = self._plan
            outcome = select_file(file, plan.policy, plan.read_options, plan.root)
        verdict = outcome.result if outcome else None
        is_listed_here = isinstance(verdict, Listed) and verdict.loc == loc
        rule = None if is_listed_here else self._rule(Reason.REDIRECT, loc, file)
        if rule:
            target = self._target_of_rule(rule)
            if self._file_at(target) != file:
                return self._redirected(url, target, rule.origin)
        if left_out:
            return GoneUrl(url, Fate.WITHDRAWN, origin=left_out)
        if outcome is None or verdict is None:
            origin = Origin(file, None, "is behind a link that is not followed")
            return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
        if isinstance(verdict, Listed):
            is_known = rule is not None or self._answers_at(loc, file)
            return _fate_of_listed(url, verdict.loc, file, is_doubtful=loc != url or not is_known)
        target_of_page = self._target_of(verdict, outcome.facts, file)
        if target_of_page is None:
            return GoneUrl(url, Fate.WITHDRAWN, origin=verdict.origin)
        gone = self._redirected(url, target_of_page, verdict.origin)
        shows_page = verdict.reason is not Reason.REDIRECT
        if gone.fate is Fate.LOST and shows_page:  # its canonical names a URL where nothing is
            return gone._replace(fate=Fate.WITHDRAWN)
        return gone

    def _redirected(self, url: str, target: str, origin: Origin) -> GoneUrl:
        """The fate of a URL that leads to another one, "" if that is not known.

        It is redirected if anything is there, whatever that is, or if that is another site.
        """
        is_there = self._is_elsewhere(target) or self._has_answer(target)
        return GoneUrl(url, Fate.REDIRECTED if is_there else Fate.LOST, target, origin)

    def _has_answer(self, url: str) -> bool:
        """Whether the site has a file or an extra URL at a URL, or a rule is for it."""
        has_file = self._file_at(url) is not None
        return has_file or comparison_key(url) in self._plan.extra or bool(self._rules_for(url))

    def _answers_at(self, url: str, file: str) -> bool:
        """Whether servers are known to answer at a form of a page's URL.

        The name of a file and a folder without its slash are known to all. Other forms depend on
        the host.
        """
        path = self.path_of(url)
        if path == file or f"{path}/" == folder_of(file):
            return True
        served = self._locator.served
        return served is not None and path in served.paths(file, self._locator.indexes)

    def _is_elsewhere(self, url: str) -> bool:
        """Whether a URL is not below the base."""
        return self._locator.path_of(url.partition("?")[0]) is None

    def _file_at(self, url: str) -> str | None:
        """The file of the site at a URL, None if there is none."""
        if self._is_elsewhere(url):
            return None
        return file_for_url_path(self._plan.root, self.path_of(url), self._locator.served)

    def _left_out(self, file: str) -> Origin | None:
        """What keeps a file from being looked at, None if nothing does."""
        root = self._plan.root
        pattern = root.ignore.verdict(file)
        if pattern and not pattern.negated:
            return pattern.origin
        if not root.include.matches(file):
            return Origin("include", None, "no pattern matches")
        return None

    def _target_of(self, verdict: Excluded, facts: PageFacts, file: str) -> str | None:
        """The URL to which a page leads that is not listed: its redirect, its canonical, or the
        page that the server prefers.

        "" if that is not known, None if it leads nowhere.
        """
        reason = verdict.reason
        if reason not in (Reason.REDIRECT, Reason.CANONICAL, Reason.DUPLICATE):
            return None
        loc = self._locator.loc(file)
        signal = {Reason.REDIRECT: "refresh", Reason.CANONICAL: "canonical"}.get(reason, "")
        text = facts.metadata.signals.get(signal)
        if text is not None:
            return self._as_own(resolve(text, base_of(facts.metadata, loc)) or "")
        twin = verdict.origin.source
        if reason is Reason.DUPLICATE and self._look(twin) == "f":
            return self._locator.loc(twin)
        rule = self._rule(reason, loc, file)
        if rule:
            return self._target_of_rule(rule)
        return "" if reason is Reason.REDIRECT else None

    def _rule(self, reason: Reason, loc: str, file: str) -> Rule | None:
        """The first rule of a possible host that does one thing with a file at a URL."""
        for rule in self._plan.policy.rules_at(loc, file):
            if rule and rule.action is reason:
                return rule
        return None

    def _target_of_rule(self, rule: Rule) -> str:
        """The URL to which a rule leads, "" if that is not known."""
        return self._as_own(self._plan.policy.target_of(rule))

    def _as_own(self, url: str) -> str:
        """A URL that differs from the base URL only by `www.` or the scheme, written like this one.

        Other URLs stay as they are.
        """
        base = self._locator.base
        rest = without_www(url)
        own = without_www(base)
        return base + rest.removeprefix(own) if rest.startswith(own) else url


def _fate_of_listed(url: str, loc: str, file: str, *, is_doubtful: bool) -> GoneUrl:
    """The fate of a URL whose page is listed at another one."""
    origin = Origin(file)
    if loc == url:  # it would be listed, if no other page had this URL
        return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
    return GoneUrl(url, Fate.REDIRECTED, loc, origin, is_form=True, is_doubtful=is_doubtful)
