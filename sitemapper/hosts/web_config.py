"""IIS: rules for URLs, redirects and headers in web.config, also those of its `location` elements.

The elements are those of learn.microsoft.com/iis/configuration and of
learn.microsoft.com/iis/extensions/url-rewrite-module/url-rewrite-module-configuration-reference.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote
from xml.parsers import expat

from ..errors import with_help
from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .headers import Header, header_effects
from .host import NOT_UNDERSTOOD, HostEffect, HostRules, Unknown
from .matchers import Matcher, PathPattern, checked, linear_matcher, matcher_without
from .moves import Move
from .reader import Manual, Reader
from .rules import Rule, make_rules

CONFIG = "web.config"
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html",))}
_DEEPEST = 30  # elements in one another
_SERVER = "configuration/system.webServer"
_RULE = f"{_SERVER}/rewrite/rules/rule"
_REDIRECT = f"{_SERVER}/httpRedirect"
_HEADERS = f"{_SERVER}/httpProtocol/customHeaders"
_TYPES = f"{_SERVER}/staticContent"
# Elements that decide about URLs and are not read.
_UNREAD = (
    f"{_SERVER}/rewrite/outboundRules",
    f"{_SERVER}/security/authorization",
    f"{_SERVER}/security/authentication",
    f"{_SERVER}/security/requestFiltering",
    f"{_SERVER}/defaultDocument",
    f"{_REDIRECT}/add",
)
_CAPTURED = re.compile(r"\{R:(\d)\}", re.IGNORECASE)


class _Element(NamedTuple):
    """An element: the names above it and its own, its attributes, its line, and its location."""

    path: str
    attributes: Mapping[str, str]
    line: int
    location: str

    def get(self, name: str, default: str = "") -> str:
        """An attribute, whose name may be in any letter case."""
        return self.attributes.get(name.lower(), default)

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """An attribute that is `true` or `false`."""
        return self.get(name, str(default)).lower() == "true"


class _Reading:
    """The elements of a file in order, gathered without recursion."""

    def __init__(self) -> None:
        self.elements: list[_Element] = []
        self._names: list[str] = []
        self._locations: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse

    def read(self, text: str) -> None:
        """Reads a text. Raises ValueError if it is not XML, or has a DOCTYPE, as entities do."""
        try:
            self._parser.Parse(text.encode("utf-8", "replace").decode(), True)
        except expat.ExpatError as error:
            raise ValueError(str(error)) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._names) == _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} elements in one another")
        by_name = {key.lower(): value for key, value in attributes.items()}
        if name == "location":
            self._locations.append(by_name.get("path", "").strip("/"))
        else:
            self._names.append(name)
        location = self._locations[-1] if self._locations else ""
        path = "/".join(self._names)
        line = self._parser.CurrentLineNumber
        self.elements.append(_Element(path, by_name, line, location))

    def _end(self, name: str) -> None:
        if name == "location":
            self._locations.pop()
        else:
            self._names.pop()

    def _refuse(self, *_: object) -> None:
        raise ValueError("a DOCTYPE is not read")


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of web.config. The rules for URLs come before `httpRedirect`."""
    reading = _Reading()
    text = texts.get(CONFIG, "")
    if text:
        try:
            reading.read(text)
        except ValueError as error:
            problem = f"{CONFIG}: is not read: {error}"
            raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None
    elements = reading.elements
    skipped: list[Unknown] = []
    moves: list[Rule] = []
    for parts in _url_rules(elements):
        moves += _effect_of_url_rule(parts, base_url, skipped)
    # The setting of the deepest location counts.
    deepest_first = sorted(elements, key=lambda element: -len(element.location))
    for element in deepest_first:
        if element.path == _REDIRECT:
            moves += _effect_of_redirect(element, base_url, skipped)
    skipped += _unread(elements)
    tags = _header_rules(reversed(deepest_first), now)
    return make_rules(moves, tags, FORMS[""], read=_read_pattern, skipped=skipped)


def _url_rules(elements: Sequence[_Element]) -> list[list[_Element]]:
    """Each rule for URLs, with the elements in it."""
    rules: list[list[_Element]] = []
    for element in elements:
        if element.path == _RULE:
            rules.append([element])
        elif element.path.startswith(f"{_RULE}/") and rules:
            rules[-1].append(element)
    return rules


def _effect_of_url_rule(
    parts: Sequence[_Element], base_url: str, skipped: list[Unknown]
) -> Iterator[Rule]:
    """The effect of a rule for URLs. One that may apply or not keeps its pages."""
    rule = parts[0]
    by_name = {part.path.rpartition("/")[2]: part for part in parts}
    match, action = by_name.get("match"), by_name.get("action")
    if match is None or action is None or not rule.is_on("enabled", default=True):
        return
    conditions = [part for part in parts if part.path == f"{_RULE}/conditions/add"]
    if _never_applies(by_name.get("conditions"), conditions, base_url):
        return
    kind = action.get("type").lower()
    if kind == "none" and not rule.is_on("stopProcessing"):
        return
    source = _source_of(rule, match)
    target = _CAPTURED.sub(r"$\1", action.get("url"))
    origin = Origin(CONFIG, rule.line, f"{match.get('url')} -> {target or kind}")
    why = _doubt(kind, target, action, has_conditions=bool(conditions))
    if why:
        skipped.append(Unknown(origin, why))
        yield source, None
    elif kind == "none":
        yield source, None
    elif kind == "redirect":
        move = Move(match.get("url"), target if "://" in target else f"/{target.lstrip('/')}")
        yield source, HostEffect(Reason.REDIRECT, origin, move=move)
    else:
        yield source, HostEffect(Reason.CLOSED, origin)


def _never_applies(group: _Element | None, conditions: Iterable[_Element], base_url: str) -> bool:
    """Whether one of the conditions of a rule never holds, and all of them count."""
    any_counts = group is not None and group.get("logicalGrouping")
    if any_counts:
        return False
    return any(_never_holds(condition, base_url) for condition in conditions)


def _never_holds(condition: _Element, base_url: str) -> bool:
    """Whether a condition asks for plain HTTP, and the site has HTTPS."""
    asks_for_http = condition.get("pattern").lower().strip("^$") == "off"
    is_about_https = condition.get("input").upper() == "{HTTPS}"
    is_secure = base_url.startswith("https:")
    return is_about_https and asks_for_http and is_secure and not condition.is_on("negate")


def _doubt(kind: str, target: str, action: _Element, *, has_conditions: bool) -> str:
    """Why the effect of a rule is not known, "" if it is."""
    if has_conditions:
        return "conditions are not read"
    if kind == "rewrite":
        return "rewrites are not read"
    if kind == "redirect" and (not target or "{" in target):
        return NOT_UNDERSTOOD
    if kind == "customresponse" and not action.get("statusCode").startswith(("4", "5")):
        return NOT_UNDERSTOOD
    if kind not in ("none", "redirect", "customresponse", "abortrequest"):
        return NOT_UNDERSTOOD
    return ""


def _source_of(rule: _Element, match: _Element) -> str:
    """The paths of a rule: its flags, its location, and the expression on the next line."""
    url = match.get("url")
    syntax = rule.get("patternSyntax", "ECMAScript").lower()
    if syntax == "wildcard":
        url = f"^{'(.*)'.join(map(re.escape, url.split('*')))}$"
    elif syntax == "exactmatch":
        url = f"^{re.escape(url)}$"
    flags = "i" if match.is_on("ignoreCase", default=True) else ""
    flags += "n" if match.is_on("negate") else ""
    return f"{flags} {rule.location}\n{url}"


def _effect_of_redirect(element: _Element, base_url: str, skipped: list[Unknown]) -> Iterator[Rule]:
    """The effect of `httpRedirect`, on all paths in its location."""
    source = f" {element.location}\n"
    target = element.get("destination")
    if not element.is_on("enabled"):
        yield source, None
        return
    origin = Origin(CONFIG, element.line, f"httpRedirect -> {target}")
    leads_to_itself = target.rstrip("/") == base_url.rstrip("/")
    if element.is_on("childOnly") or not target or "$" in target or leads_to_itself:
        skipped.append(Unknown(origin, NOT_UNDERSTOOD))
        yield source, None
        return
    above = f"/{element.location}/".replace("//", "/")
    if not element.is_on("exactDestination"):
        target = f"{target.rstrip('/')}/:splat"
    yield source, HostEffect(Reason.REDIRECT, origin, move=Move(f"{above}*", target))


def _header_rules(elements: Iterator[_Element], now: int) -> Iterator[Rule]:
    """What the headers of each location say about its pages."""
    for element in elements:
        above, _, verb = element.path.rpartition("/")
        if above != _HEADERS:
            continue
        name = "X-Robots-Tag" if verb == "clear" else element.get("name")
        value = element.get("value") if verb == "add" else None
        origin = Origin(CONFIG, element.line, f"{name}: {value or verb}")
        for effect in header_effects([Header(name.lower(), value, origin)], now):
            yield f" {element.location}\n", effect


def _unread(elements: Sequence[_Element]) -> Iterator[Unknown]:
    """The elements that may decide about pages and are not read."""
    for element in elements:
        above, _, name = element.path.rpartition("/")
        is_type = above == _TYPES and element.get("fileExtension").lower() in (".html", "html")
        is_unread_type = is_type and element.get("mimeType").lower() != "text/html"
        if element.path in _UNREAD or is_unread_type:
            yield Unknown(Origin(CONFIG, element.line, name), "not read")


def _read_pattern(source: str) -> PathPattern:
    """The paths of a rule. Raises ValueError for an expression that cannot be compiled."""
    return checked(PathPattern("", partial(_matcher, source)))


def _matcher(source: str) -> Matcher:
    """A matcher for the paths in a location whose rest, without the slash, has an expression."""
    head, _, regex = source.partition("\n")
    flags, _, location = head.partition(" ")
    expression = f"(?i){regex}" if "i" in flags else regex
    is_named = matcher_without(expression, None) if "n" in flags else linear_matcher(expression)
    folder = f"/{location}".rstrip("/").lower()

    def is_match(path: str) -> object:
        decoded = unquote(path)
        is_inside = f"{decoded.lower()}/".startswith(f"{folder}/")
        return is_inside and is_named(decoded[len(folder) :].removeprefix("/"))

    return is_match


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`web.config`",
        order="Rules come before `httpRedirect`.",
        skipped="conditions, rewrites",
    ),
)
