"""The fates of URLs that were published before and are not listed now."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import urlsplit

from ..extract.facts import ReadOptions
from ..hosts.host import HostEffect
from ..model import Excluded, Fate, GoneUrl, Listed, Origin, PageFacts, Reason
from ..pages.reader import PageReader
from ..pipeline.plan import Plan
from ..pipeline.process import judge
from ..pipeline.run import evaluate_extra
from ..site.server import file_for_url_path, find_page, kind_at
from ..syntax.gitignore import Patterns
from ..syntax.links import base_of
from ..syntax.urls import (
    comparison_key,
    folder_of,
    is_page_name,
    resolve,
    without_scheme,
    without_www,
)

_MOST_HOPS = 10  # redirects that a chain may have
_KEPT = 1024  # answers that are kept, because many URLs may lead to one page
# No site has a page at this path. A rule that answers there answers everywhere.
_MADE_UP = "sitemapper-asks-for-a-page-that-is-not-there"
_TEXT = ReadOptions(signals=None, dates=False, digest=None, images=False, shown=True)
_LEAST = 100  # bytes of text by which a page is known
# Compiled when it is used.
_ABSOLUTE = r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//"

# Finds the new URLs of those whose content is at another URL now.
FindMoved = Callable[[Sequence[str]], Mapping[str, str]]


class _Listed(NamedTuple):
    """A page that is listed at `loc`. `file` is "" for an extra URL."""

    loc: str
    file: str


class _Unlisted(NamedTuple):
    """Something that is left out on purpose. `file` is "" if a rule of the host leaves it out."""

    origin: Origin
    file: str


class _Leads(NamedTuple):
    """A redirect or a canonical to a URL, "" if that is not known.

    `file` is the file of the site at this place, "" if there is none. If it `is_shown`, visitors
    see a page, which names another one.
    """

    target: str
    origin: Origin
    file: str
    is_shown: bool


_Answer = _Listed | _Unlisted | _Leads | None  # None if nothing answers


def judge_gone(
    urls: Iterable[str], plan: Plan, expected: Patterns, find_moved: FindMoved
) -> tuple[GoneUrl, ...]:
    """The fate of each URL, in their order. `expected` match URLs that are gone on purpose."""
    answers = _Answers(plan)
    fates: dict[str, GoneUrl] = {}
    for url in urls:
        gone = answers.fate(url)
        if gone.fate is Fate.LOST:
            path = answers.path_of(answers.at_base(url))
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
        self._answer = lru_cache(_KEPT)(self._find_answer)
        self._rules_for_all = lru_cache(_KEPT)(self._find_rules_for_all)

    def path_of(self, url: str) -> str:
        """The decoded path of a URL below the base, without its query. "" for other URLs."""
        return self._locator.path_of(url.partition("?")[0]) or ""

    def at_base(self, url: str) -> str:
        """A URL with the scheme and the host of the base URL, which may be new."""
        base = self._locator.base
        _, slash, path = without_scheme(url).partition("/")
        return base.removesuffix(urlsplit(base).path) + (slash or "/") + path

    def fate(self, url: str) -> GoneUrl:
        """The fate of a URL. It is lost if nothing answers there, or leads to nothing."""
        loc = self.at_base(url)
        if self._is_elsewhere(loc):
            return GoneUrl(url, Fate.LOST)
        answer = self._answer(loc)
        if answer is None:
            return GoneUrl(url, Fate.LOST)
        if isinstance(answer, _Leads):
            return self._fate_of_redirect(url, answer)
        if isinstance(answer, _Unlisted):
            return GoneUrl(url, Fate.WITHDRAWN, origin=answer.origin)
        origin = Origin(answer.file)
        if answer.loc == url:  # it would be listed, if no other page had this URL
            return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
        is_doubtful = loc != url or not self._answers_at(loc, answer.file)
        return GoneUrl(url, Fate.REDIRECTED, answer.loc, origin, True, is_doubtful)

    def shows_text(self, url: str) -> bool:
        """Whether the page at a URL has enough text of its own to be known by it.

        Pages that say only "coming soon" are alike, and none of them is another one that has moved.
        """
        root = self._plan.root
        file = file_for_url_path(root, self.path_of(url), self._locator.served)
        page = find_page(root, file) if file else None
        if page is None:
            return False
        facts = PageReader(root, _TEXT).facts(page)
        return isinstance(facts, PageFacts) and facts.shown is not None and facts.shown[1] >= _LEAST

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

    def _fate_of_redirect(self, url: str, first: _Leads) -> GoneUrl:
        """The fate of a URL that leads to another one. Follows the chain to its end."""
        answer: _Answer = first
        target = ""
        seen = {without_scheme(url)}
        while isinstance(answer, _Leads):
            target = self._as_own(answer.target)
            if not target or self._is_elsewhere(target):
                gone = GoneUrl(url, Fate.REDIRECTED, target, first.origin)
                return gone._replace(is_by_catch_all=self._is_catch_all(first, url))
            is_loop = without_scheme(target) in seen
            if is_loop or len(seen) > _MOST_HOPS:
                answer = None
                break
            seen.add(without_scheme(target))
            answer = self._answer(target)
        if isinstance(answer, _Listed):
            is_form = bool(first.file) and answer.file == first.file
            gone = GoneUrl(url, Fate.REDIRECTED, answer.loc, first.origin, is_form)
            return gone._replace(is_by_catch_all=self._is_catch_all(first, url))
        if isinstance(answer, _Unlisted):
            is_document = bool(answer.file) and not is_page_name(answer.file)
            if is_document:
                return GoneUrl(url, Fate.REDIRECTED, target, first.origin)
            return GoneUrl(url, Fate.WITHDRAWN, target, answer.origin)
        if first.is_shown:
            return GoneUrl(url, Fate.WITHDRAWN, target, first.origin)
        if not first.file and self._is_for_all(first.origin, url):
            return GoneUrl(url, Fate.LOST)  # such as a rule that removes `.html` from any name
        return GoneUrl(url, Fate.LOST, target, first.origin)

    def _as_own(self, url: str) -> str:
        """A URL as the base URL writes it, if only `www.` or the scheme differ."""
        base = self._locator.base
        rest = without_www(url)
        own = without_www(base)
        return base + rest.removeprefix(own) if rest.startswith(own) else url

    def _is_elsewhere(self, url: str) -> bool:
        """Whether a URL is not below the base."""
        return self._locator.path_of(url.partition("?")[0]) is None

    def _find_answer(self, url: str) -> _Answer:
        """What answers at a URL below the base."""
        extra = self._plan.extra.get(comparison_key(url))
        if extra:
            verdict = evaluate_extra(extra, self._plan)
            if isinstance(verdict, Listed):
                return _Listed(verdict.loc, "")
            return _Unlisted(verdict.origin, "")
        loc = url.partition("?")[0]
        file = file_for_url_path(self._plan.root, self.path_of(loc), self._locator.served)
        if file is None:
            return self._answer_of_rules(loc)
        return self._answer_of_file(loc, file)

    def _answer_of_rules(self, loc: str) -> _Answer:
        """What possible hosts answer at a URL without a file.

        A redirect counts for all URLs. A rule that shows a page or an error for every URL tells
        nothing about this one.
        """
        effects = self._plan.policy.effects_on_missing(loc, self._look)
        for effect in effects:
            if effect.reason is Reason.REDIRECT:
                return self._redirect(effect, loc, "")
        for effect in effects:
            if self._is_for_all(effect.origin, loc):
                continue
            if effect.reason is Reason.CLOSED:
                return _Unlisted(effect.origin, "")
            if effect.reason is Reason.DUPLICATE and effect.target:
                return self._redirect(effect, loc, "")
        return None

    def _is_for_all(self, rule: Origin, loc: str) -> bool:
        """Whether a rule also answers at a URL that never existed, with the ending of this one."""
        return rule in self._rules_for_all(_ending(loc))

    def _is_catch_all(self, redirect: _Leads, loc: str) -> bool:
        """Whether a redirect leads any URL that never existed to the same place as this one."""
        if redirect.file or not redirect.target:
            return False
        return self._rules_for_all(_ending(loc)).get(redirect.origin) == redirect.target

    def _find_rules_for_all(self, ending: str) -> Mapping[Origin, str]:
        """The rules that answer at a URL that never existed with this ending, and their targets."""
        made_up = self._locator.base + _MADE_UP + ending
        effects = self._plan.policy.effects_on_missing(made_up, self._look)
        return {effect.origin: self._target_at(effect, made_up) for effect in effects}

    def _answer_of_file(self, loc: str, file: str) -> _Answer:
        """What answers at a URL at which the site has a file.

        A page that is listed there answers itself, although some possible host may redirect it.
        """
        left_out = self._left_out(file)
        outcome = None if left_out else judge(self._plan, file)
        verdict = outcome.verdict if outcome else None
        is_listed_here = isinstance(verdict, Listed) and verdict.loc == loc
        effect = None if is_listed_here else self._effect(Reason.REDIRECT, loc, file)
        if effect:
            return self._redirect(effect, loc, file)
        if left_out:
            return _Unlisted(left_out, file)
        if outcome is None or verdict is None:
            return _Unlisted(Origin(file, None, "is behind a link that is not followed"), file)
        if isinstance(verdict, Listed):
            return _Listed(verdict.loc, file)
        target = self._target_of(verdict, outcome.facts, file)
        if target is None:
            return _Unlisted(verdict.origin, file)
        return _Leads(target, verdict.origin, file, verdict.reason is not Reason.REDIRECT)

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
            return resolve(text, base_of(facts.metadata, loc)) or ""
        twin = verdict.origin.source
        if reason is Reason.DUPLICATE and self._look(twin) == "f":
            return self._locator.loc(twin)
        effect = self._effect(reason, loc, file)
        if effect:
            return self._target_at(effect, loc)
        return "" if reason is Reason.REDIRECT else None

    def _effect(self, reason: Reason, loc: str, file: str) -> HostEffect | None:
        """The first effect with a reason that a possible host has on a file at a URL."""
        for effect in self._plan.policy.host_effects(loc, self._look, file):
            if effect and effect.reason is reason:
                return effect
        return None

    def _redirect(self, effect: HostEffect, loc: str, file: str) -> _Leads:
        return _Leads(self._target_at(effect, loc), effect.origin, file, is_shown=False)

    def _target_at(self, effect: HostEffect, loc: str) -> str:
        """The URL to which a rule leads from a URL, "" if that is not known.

        Rules of a site below a folder of its host may have paths with this folder, or without it.
        """
        base = self._locator.base
        target = effect.target_at(loc[len(base) - 1 :])
        if not target:
            return ""
        has_folder = target.startswith(urlsplit(base).path)
        if re.match(_ABSOLUTE, target) or has_folder:
            return resolve(target, base) or ""
        return resolve(base + target.lstrip("/"), base) or ""


def _ending(url: str) -> str:
    """The final slash of a URL, or the ending of its file's name."""
    ending = re.search(r"(?:/|\.\w+)?\Z", url)
    return ending[0] if ending else ""
