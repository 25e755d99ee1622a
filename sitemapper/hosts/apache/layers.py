"""What one `.htaccess` says, in layers: its plain lines, and each section for names or requests.

Apache merges the plain lines of all folders, then `<Files>`, then `<If>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from ...model import Origin
from .access import HostRule, HostRules, Requirement
from .answers import HeaderLine, Variable
from .expressions import Expression
from .patterns import Pattern
from .request import Context, Files
from .rewriting import Condition, RewriteRule
from .truth import Truth, all_of, negated

# In the target of a RedirectMatch (ap_pregsub).
_GROUP = re.compile(r"\\(?P<escaped>[$&])|\$(?P<number>\d)")
_UNENCODED = "$-_.+!*'(),:;@&=/~"  # OS_ESCAPE_PATH of gen_test_char.c
_LINKS = ("followsymlinks", "symlinksifownermatch", "all")


class Alias(NamedTuple):
    """A Redirect for a path and all below it, or, with `pattern`, a RedirectMatch."""

    path: str
    pattern: Pattern | None
    status: int
    target: str
    origin: Origin

    @property
    def source(self) -> str:
        """What it is for, as in other hosts' rules."""
        if self.pattern is not None:
            return self.path
        return self.path.rstrip("/") + "/*"

    def find_target(self, uri: str) -> str | None:
        """Where it leads from a path, None if it is not for it. "" if it leads nowhere known.

        mod_alias encodes the target of a RedirectMatch, with all its percent signs.
        """
        if self.pattern is None:
            return self._target_below(uri)
        if not self.pattern.matches(uri):
            return None
        groups = self.pattern.groups(uri) if "$" in self.target else ()
        if groups is None:
            return ""
        target = _GROUP.sub(lambda found: _group(groups, found), self.target)
        path = re.split("[?#]", target, maxsplit=1)[0]
        encoded = quote(path, safe=_UNENCODED, errors="surrogateescape")
        return encoded + target[len(path) :]

    def _target_below(self, uri: str) -> str | None:
        """Whole segments are compared (mod_alias, `alias_matches`)."""
        path = self.path
        is_below = uri == path or uri.startswith(path if path.endswith("/") else f"{path}/")
        if not is_below:
            return None
        return self.target + uri[len(path) :]


def _group(groups: Sequence[str], found: re.Match[str]) -> str:
    """The text for `$1`, or for an escaped character."""
    if found["escaped"]:
        return found["escaped"]
    number = int(found["number"])
    return groups[number] if number < len(groups) else ""


class Guard(NamedTuple):
    """The head of a section: a name of a file, or an expression. Without either, it is unknown."""

    name: Pattern | None = None
    expression: Expression | None = None
    is_not: bool = False

    @property
    def is_late(self) -> bool:
        """Whether the section is merged after those for names."""
        return self.name is None

    def holds(self, context: Context, files: Files) -> Truth:
        """Whether the section is for a request."""
        if self.name is not None:
            return self.name.matches(context.filename.rpartition("/")[2])
        if self.expression is None:
            return None
        holds = self.expression.holds(context, files)
        return negated(holds) if self.is_not else holds


class Options(NamedTuple):
    """A line Options."""

    words: Sequence[str]
    origin: Origin


class OptionsInEffect(NamedTuple):
    """The lines that turn MultiViews on, and symbolic links off, without which nothing is
    rewritten. None if there is no such line.
    """

    multiviews: Origin | None
    links_off: Origin | None


class Layer:
    """Lines that apply together: if all `guards` hold. None of them for a folder's plain lines.

    A value that is None is not set.
    """

    def __init__(self, folder: str, guards: tuple[Guard, ...] = ()) -> None:
        self.folder = folder
        self.guards = guards
        self.engine: bool | None = None
        self.base = ""
        self.inherits = ""  # "after" or "before", where the rules of the folder above are added
        self.has_rewrites = False
        self.rules: list[RewriteRule] = []
        self.conditions: list[Condition] = []  # of the next rule
        self.is_doubtful = False  # whether a line before the next rule was not understood
        self.moves: list[Alias] = []
        self.requirements: list[Requirement] = []
        self.host_rules: list[HostRule] = []  # Allow and Deny
        self.order = ""
        self.order_origin: Origin | None = None
        self.satisfies_any = False
        self.headers: list[HeaderLine] = []
        self.variables: list[Variable] = []
        self.may_set_others = False  # whether a line that was not understood may set variables
        self.indexes: list[str] | None = None
        self.indexes_origin: Origin | None = None
        self.adds_slash: bool | None = None
        self.accepts_info: bool | None = None
        self.options: list[Options] = []

    @property
    def is_late(self) -> bool:
        """Whether the layer is merged after those for names."""
        return any(guard.is_late for guard in self.guards)

    def applies(self, context: Context, files: Files) -> Truth:
        """Whether the layer is for a request."""
        return all_of(guard.holds(context, files) for guard in self.guards)

    @property
    def access(self) -> HostRules | None:
        """The lines Order, Allow, Deny and Satisfy, None if there are none."""
        origin = self.host_rules[-1].origin if self.host_rules else self.order_origin
        if origin is None and not self.satisfies_any:
            return None
        return HostRules(self.host_rules, self.order, origin, self.satisfies_any)


class Effective(NamedTuple):
    """The layers that apply to a request, in the order in which they are merged.

    Each with its truth, which is true or unknown.
    """

    layers: Sequence[tuple[Layer, Truth]]

    @property
    def certain(self) -> list[Layer]:
        """The layers that certainly apply."""
        return [layer for layer, applies in self.layers if applies]

    @property
    def indexes(self) -> tuple[list[str] | None, Origin | None]:
        """The names of DirectoryIndex and its line, None if nothing sets them."""
        for layer in self.certain[::-1]:
            if layer.indexes is not None:
                return layer.indexes, layer.indexes_origin
        return None, None

    def flag(self, name: str, *, default: bool) -> bool:
        """The last value of `adds_slash` or `accepts_info`."""
        for layer in self.certain[::-1]:
            value: bool | None = getattr(layer, name)
            if value is not None:
                return value
        return default

    @property
    def options(self) -> OptionsInEffect:
        """What the lines Options turn on and off. Only the server itself turns on links."""
        multiviews: Origin | None = None
        links_off: Origin | None = None
        for line in (line for layer in self.certain for line in layer.options):
            words = [word.lower() for word in line.words]
            if any(word[:1] not in "+-" for word in words):
                multiviews = None  # without a sign, they replace all others
                links_off = line.origin
            for word in words:
                if word.lstrip("+-") == "multiviews":
                    multiviews = None if word.startswith("-") else line.origin
                elif word.lstrip("+-") in _LINKS:
                    links_off = line.origin if word.startswith("-") else None
        return OptionsInEffect(multiviews, links_off)

    @property
    def requirements(self) -> tuple[Sequence[Requirement], HostRules]:
        """The lines that decide who may enter: those of the last layer with any, by module.

        Nothing, if this layer is unknown.
        """
        requirements: Sequence[Requirement] = ()
        host_rules = HostRules()
        for layer, applies in self.layers:
            if layer.requirements:
                requirements = layer.requirements if applies else ()
            access = layer.access
            if access is not None:
                host_rules = access if applies else HostRules()
        return requirements, host_rules
