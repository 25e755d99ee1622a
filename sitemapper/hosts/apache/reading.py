"""From the text of a `.htaccess` to its layers, and the lines that are not understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...model import Origin
from ..host import NOT_UNDERSTOOD, Unknown
from ..rules import Rule, error_page
from . import answers
from .access import HostRule, Requirement, read_requirement
from .expressions import Expression
from .layers import Alias, Guard, Layer, Options
from .lines import Directive, read_directives
from .patterns import Pattern, wildcard_expression
from .rewriting import read_condition, read_rule

_STATUS = {"permanent": 301, "temp": 302, "seeother": 303, "gone": 410}
# Modules that a server has where people write `.htaccess`.
_MODULES = re.compile(
    r"""
    (mod_)? (alias | auth\w* | access_compat | deflate | dir | env | expires | filter | headers
      | mime | negotiation | rewrite | setenvif | autoindex | brotli | include) (\.c | _module)?
    """,
    re.VERBOSE,
)
# Other directives that `.htaccess` may have (`apache2 -L`). They do not move or exclude pages.
_OTHERS = re.compile(
    r"""
    (add | anonymous | auth | brotli | cache | cgi | charset | check | content | cookie | default
      | deflate | enable | expires | filter | force | h2 | http2 | imap | index | ldap | limit
      | log | lua | modpagespeed | pagespeed | pass | php_ | qualify | ratelimit | readme | remove
      | requestheader | rlimit | sec | serversignature | session | set(handler|input|output)
      | ssi | ssl | substitute | suphp | usertrack) .*
    | acceptfilter | action | error | fallbackresource | fancyindexing | fileetag | headername
    | languagepriority | multiviewsmatch | options | redirectrelative | xbithack
    | directorycheckhandler | directoryindexredirect | rewriteoptions | aliaspreservepath
    """,
    re.VERBOSE,
)
_CONTAINERS = ("requireall", "requireany", "requirenone")
_OPTIONS = {
    "all", "none", "execcgi", "followsymlinks", "includes", "includesnoexec", "indexes",
    "multiviews", "symlinksifownermatch",
}  # fmt: skip
_DEFAULT_VERSION = (2, 4, 57)


class FileRules(NamedTuple):
    """What a `.htaccess` says: its layers, its error pages, and what is ignored of it."""

    layers: tuple[Layer, ...]
    errors: tuple[Rule, ...]
    skipped: tuple[Unknown, ...]


def read_file(name: str, folder: str, text: str, base_path: str) -> FileRules:
    """The rules of a file. `folder` is the URL path that it is for."""
    return _FileReader(folder, base_path).read(name, text)


class _FileReader:
    """Reads the directives of a file into layers."""

    def __init__(self, folder: str, base_path: str) -> None:
        self._folder = folder
        self._base_path = base_path
        self._plain = Layer(folder)
        self._layers = [self._plain]
        self._errors: list[Rule] = []
        self._skipped: list[Unknown] = []

    def read(self, name: str, text: str) -> FileRules:
        self._read_all(read_directives(name, text), self._plain, "")
        return FileRules(tuple(self._layers), tuple(self._errors), tuple(self._skipped))

    def _skip(self, origin: Origin, why: str) -> None:
        if why:
            self._skipped.append(Unknown(origin, why))

    def _read_all(self, directives: Sequence[Directive], layer: Layer, doubt: str) -> None:
        """Reads directives into a layer. With `doubt`, they are in a section that is unknown."""
        elses: list[Guard] = []  # the conditions of the sections <If> and <ElseIf> before
        for directive in directives:
            if directive.parts is not None and directive.key not in _CONTAINERS:
                self._read_section(directive, layer, doubt, elses)
            elif doubt:
                self._read_doubtful(directive, layer, doubt)
            else:
                self._read_directive(directive, layer)

    def _read_doubtful(self, directive: Directive, layer: Layer, doubt: str) -> None:
        """Reads a directive of an unknown section, which makes what it is about unknown."""
        origin = directive.origin
        if _is_about_pages(directive):
            self._skip(origin, doubt)
        if directive.key == "rewritecond":
            self._condition(directive, layer)
        elif directive.key == "rewriterule":
            rule, _ = read_rule(directive.words, layer.conditions, origin)
            layer.conditions = []
            layer.has_rewrites = True
            layer.rules.append(rule._replace(is_certain=False))
        elif directive.key == "require" or directive.key in _CONTAINERS:
            layer.requirements.append(Requirement((), origin))
        elif directive.key in ("allow", "deny"):
            layer.host_rules.append(HostRule(directive.key, ("",), origin))
        elif directive.key == "header":
            found = answers.read_header(directive.words, origin)
            if found is not None:
                line, _ = found
                layer.headers.append(line._replace(is_certain=False))

    def _read_section(
        self, section: Directive, layer: Layer, doubt: str, elses: list[Guard]
    ) -> None:
        """Reads a section, into the layer around it or one of its own."""
        parts = section.parts or ()
        if not section.is_closed:
            doubt = doubt or "in a section without an end"
        if section.key in _STATIC_SECTIONS:
            applies, why = _STATIC_SECTIONS[section.key](section)
            if applies is not False:
                self._read_all(parts, layer, doubt or why)
            return
        guard, why = _read_guard(section)
        guards = [guard]
        if section.key in ("elseif", "else"):
            guards = [*elses, guard] if section.key == "elseif" else list(elses)
        if section.key == "if":
            elses.clear()
        if section.key in ("if", "elseif"):
            elses.append(guard._replace(is_not=True))
        inner = Layer(self._folder, (*layer.guards, *guards))
        self._layers.append(inner)
        self._read_all(parts, inner, doubt or why)

    def _read_directive(self, directive: Directive, layer: Layer) -> None:
        read = _READERS.get(directive.key)
        if read is not None:
            read(self, directive, layer)
        elif not _OTHERS.fullmatch(directive.key):
            layer.is_doubtful = True
            layer.may_set_others = True
            self._skip(directive.origin, NOT_UNDERSTOOD)

    # Each of these reads one kind of directive.

    def _redirect(self, directive: Directive, layer: Layer) -> None:
        words = directive.words
        status = {"redirectpermanent": 301}.get(directive.key, 302)
        first = words[0].lower() if words else ""
        if first in _STATUS or first.isdigit():
            status = _STATUS.get(first) or int(first)
            words = words[1:]
        path, target = (*words, "", "")[:2]
        has_target = bool(target) or not 300 <= status < 400
        is_match = directive.key == "redirectmatch"
        if not path or not has_target or (not is_match and not path.startswith("/")):
            self._skip(directive.origin, NOT_UNDERSTOOD)
            return
        pattern = None
        if is_match:
            try:
                pattern = Pattern(path)
            except ValueError:
                self._skip(directive.origin, "expression not understood")
                return
        layer.moves.append(Alias(path, pattern, status, target, directive.origin))

    def _engine(self, directive: Directive, layer: Layer) -> None:
        value = directive.text.lower()
        layer.has_rewrites = True
        if value in ("on", "off"):
            layer.engine = value == "on"
        else:
            self._skip(directive.origin, NOT_UNDERSTOOD)

    def _rewrite_base(self, directive: Directive, layer: Layer) -> None:
        layer.has_rewrites = True
        layer.base = "".join(directive.words[:1])

    def _rewrite_options(self, directive: Directive, layer: Layer) -> None:
        layer.has_rewrites = True
        for word in directive.words:
            if word.lower() == "inherit":
                layer.inherits = "after"
            elif word.lower() == "inheritbefore":
                layer.inherits = "before"
            elif word.lower().startswith("inheritdown"):
                self._skip(directive.origin, NOT_UNDERSTOOD)

    def _condition(self, directive: Directive, layer: Layer) -> None:
        layer.has_rewrites = True
        layer.conditions.append(read_condition(directive.words))

    def _rule(self, directive: Directive, layer: Layer) -> None:
        layer.has_rewrites = True
        rule, why = read_rule(directive.words, layer.conditions, directive.origin)
        if layer.is_doubtful:
            why = why or "behind a line that is not understood"
            rule = rule._replace(is_certain=False)
        if layer.guards:
            # mod_rewrite does not support rules in these sections.
            why = why or "in a section for some files or requests"
        layer.is_doubtful = False
        layer.conditions = []
        layer.rules.append(rule)
        if not rule.is_harmless:
            self._skip(directive.origin, why)

    def _require(self, directive: Directive, layer: Layer) -> None:
        requirement, why = read_requirement(directive)
        self._skip(directive.origin, why)
        layer.requirements.append(requirement)

    def _host_rule(self, directive: Directive, layer: Layer) -> None:
        words = directive.words
        if len(words) < 2 or words[0].lower() != "from":
            self._skip(directive.origin, NOT_UNDERSTOOD)
            return
        rule = HostRule(directive.key, words[1:], directive.origin)
        layer.host_rules.append(rule)
        is_known = all(w.lower() == "all" or w.lower().startswith("env=") for w in words[1:])
        if not is_known:
            self._skip(directive.origin, "depends on the visitor")

    def _order(self, directive: Directive, layer: Layer) -> None:
        layer.order = directive.text
        layer.order_origin = directive.origin

    def _satisfy(self, directive: Directive, layer: Layer) -> None:
        layer.satisfies_any = directive.text.lower() == "any"

    def _header(self, directive: Directive, layer: Layer) -> None:
        found = answers.read_header(directive.words, directive.origin)
        if found is not None:
            line, why = found
            layer.headers.append(line)
            self._skip(directive.origin, why)

    def _variable(self, directive: Directive, layer: Layer) -> None:
        line, _ = answers.read_variable(directive.key, directive.words)
        layer.variables.append(line)
        layer.may_set_others |= not line.names

    def _indexes(self, directive: Directive, layer: Layer) -> None:
        words = directive.words
        if layer.indexes is None or words[:1] == ["disabled"]:
            layer.indexes = []
        layer.indexes_origin = directive.origin
        if words != ["disabled"]:
            layer.indexes += words

    def _slash(self, directive: Directive, layer: Layer) -> None:
        layer.adds_slash = directive.text.lower() != "off"

    def _path_info(self, directive: Directive, layer: Layer) -> None:
        layer.accepts_info = directive.text.lower() == "on"

    def _options(self, directive: Directive, layer: Layer) -> None:
        names = {word.lower().lstrip("+-") for word in directive.words}
        if names <= _OPTIONS:
            layer.options.append(Options(directive.words, directive.origin))
        else:
            self._skip(directive.origin, NOT_UNDERSTOOD)

    def _error_page(self, directive: Directive, _: Layer) -> None:
        target = "".join(directive.words[1:2])
        if target.startswith(self._base_path):
            below_base = target[len(self._base_path) - 1 :]
            self._errors += error_page(below_base, directive.origin)


_ReadDirective = Callable[[_FileReader, Directive, Layer], None]
_READERS: Mapping[str, _ReadDirective] = {
    "redirect": _FileReader._redirect,
    "redirectpermanent": _FileReader._redirect,
    "redirecttemp": _FileReader._redirect,
    "redirectmatch": _FileReader._redirect,
    "rewriteengine": _FileReader._engine,
    "rewritebase": _FileReader._rewrite_base,
    "rewriteoptions": _FileReader._rewrite_options,
    "rewritecond": _FileReader._condition,
    "rewriterule": _FileReader._rule,
    "require": _FileReader._require,
    "requireall": _FileReader._require,
    "requireany": _FileReader._require,
    "requirenone": _FileReader._require,
    "allow": _FileReader._host_rule,
    "deny": _FileReader._host_rule,
    "order": _FileReader._order,
    "satisfy": _FileReader._satisfy,
    "header": _FileReader._header,
    "setenv": _FileReader._variable,
    "unsetenv": _FileReader._variable,
    "setenvif": _FileReader._variable,
    "setenvifnocase": _FileReader._variable,
    "setenvifexpr": _FileReader._variable,
    "browsermatch": _FileReader._variable,
    "browsermatchnocase": _FileReader._variable,
    "directoryindex": _FileReader._indexes,
    "directoryslash": _FileReader._slash,
    "acceptpathinfo": _FileReader._path_info,
    "options": _FileReader._options,
    "errordocument": _FileReader._error_page,
}  # fmt: skip
# Of a section that is unknown, these are worth a note.
_ABOUT_PAGES = (
    "redirect", "redirectmatch", "redirectpermanent", "redirecttemp", "rewriterule", "require",
    "deny", "directoryindex", *_CONTAINERS,
)  # fmt: skip


def _is_about_pages(directive: Directive) -> bool:
    """Whether a directive may move or exclude pages."""
    if directive.key == "header":
        return answers.read_header(directive.words, directive.origin) is not None
    return directive.key in _ABOUT_PAGES


_Static = tuple[bool | None, str]  # whether a section applies, and why this is not known


def _if_module(section: Directive) -> _Static:
    name = "".join(section.words).lower()
    if not _MODULES.fullmatch(name.removeprefix("!")):
        return None, f"depends on the server's modules ({name.removeprefix('!')})"
    return not name.startswith("!"), ""


def _limit(section: Directive) -> _Static:
    return "GET" in section.text.upper().split(), ""


def _limit_except(section: Directive) -> _Static:
    return "GET" not in section.text.upper().split(), ""


def _if_version(section: Directive) -> _Static:
    operator, *version = section.words
    numbers = tuple(int(part) for part in "".join(version).split(".") if part.isdigit())
    if not numbers or operator not in (">=", ">", "<", "<="):
        return None, "depends on the server's version"
    installed = _DEFAULT_VERSION[: len(numbers)]
    return {
        ">=": installed >= numbers,
        ">": installed > numbers,
        "<": installed < numbers,
        "<=": installed <= numbers,
    }[operator], ""


def _unknown(section: Directive) -> _Static:
    return None, f"depends on <{section.origin.text.strip('<>')}>"


_STATIC_SECTIONS: Mapping[str, Callable[[Directive], _Static]] = {
    "ifmodule": _if_module,
    "ifdefine": _unknown,
    "iffile": _unknown,
    "ifdirective": _unknown,
    "ifsection": _unknown,
    "ifversion": _if_version,
    "limit": _limit,
    "limitexcept": _limit_except,
}


def _read_guard(section: Directive) -> tuple[Guard, str]:
    """The guard of a section, and why it is unknown, "" if it is not."""
    words = section.words
    try:
        if section.key in ("files", "filesmatch"):
            is_expression = section.key == "filesmatch" or words[:1] == ["~"]
            text = words[-1] if words else ""
            return Guard(Pattern(text if is_expression else wildcard_expression(text))), ""
        if section.key in ("if", "elseif"):
            text = section.text
            whole = words[0] if len(words) == 1 else text
            expression = Expression(whole)
            return Guard(expression=expression), expression.unknown
    except ValueError:
        return Guard(), "expression not understood"
    if section.key == "else":
        return Guard(), ""
    return Guard(), NOT_UNDERSTOOD
