"""Who may enter: Require with its sections, and Order, Allow and Deny."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Origin
from .expressions import Expression
from .lines import Directive
from .request import Context, Files
from .truth import Truth, all_of, any_of, negated

_METHOD = "GET"
_ALL, _NONE = "requireall", "requirenone"
_CONTAINERS = ("requireany", _ALL, _NONE)
# What only somebody who is logged in fulfils (mod_authz_user, mod_authz_groupfile).
_LOGINS = (
    "valid-user", "user", "group", "file-owner", "file-group", "dbm-group", "ldap-user",
    "ldap-group", "ldap-dn", "ldap-attribute", "ldap-filter",
)  # fmt: skip


class Requirement(NamedTuple):
    """A line `Require`, or a section of them (`parts`). `expression` is None if not needed."""

    words: Sequence[str]
    origin: Origin
    key: str = ""
    parts: tuple[Requirement, ...] = ()
    expression: Expression | None = None

    def is_met(self, context: Context, files: Files) -> Truth:
        """Whether a visitor without a name fulfils it."""
        if self.key:
            values = [part.is_met(context, files) for part in self.parts]
            if self.key == _ALL:
                return all_of(values)
            is_any = any_of(values)
            return negated(is_any) if self.key == _NONE else is_any
        words = [word.lower() for word in self.words]
        if words[:1] == ["not"]:
            return negated(self._is_met(words[1:], context, files))
        return self._is_met(words, context, files)

    def _is_met(self, words: Sequence[str], context: Context, files: Files) -> Truth:
        name, *values = words or [""]
        if name == "all" and values[:1] in (["granted"], ["denied"]):
            return values[0] == "granted"
        if name in _LOGINS:
            return False
        if name == "method":
            return _METHOD.lower() in values
        if name == "expr" and self.expression is not None:
            return self.expression.holds(context, files)
        if name == "env":
            return any_of(_is_set(context, value) for value in self.words[-len(values) :])
        return None


def _is_set(context: Context, name: str) -> Truth:
    value = context.variable(f"env:{name}")
    return None if value is None else value != ""


def read_requirement(directive: Directive) -> tuple[Requirement, str]:
    """A Require or a section of them, and why it is unknown, "" if it is not."""
    if directive.parts is not None:
        parts = []
        whys = []
        for part in directive.parts:
            if part.key != "require" and part.key not in _CONTAINERS:
                whys.append("not understood")
                parts.append(Requirement((), part.origin))
                continue
            requirement, why = read_requirement(part)
            parts.append(requirement)
            whys.append(why)
        why = next(filter(None, whys), "" if directive.is_closed else "not closed")
        if not directive.is_closed:
            return Requirement((), directive.origin), why
        return Requirement((), directive.origin, directive.key, tuple(parts)), why
    words = directive.words
    requirement = Requirement(words, directive.origin)
    name = " ".join(words).lower().removeprefix("not ").partition(" ")[0]
    if name == "expr":
        text = directive.text.partition("expr")[2].strip()
        return _with_expression(requirement, text.strip('"') if text[:1] == '"' else text)
    if name in ("all", "method", "env", *_LOGINS):
        return requirement, ""
    return requirement, "depends on the visitor"


def _with_expression(requirement: Requirement, text: str) -> tuple[Requirement, str]:
    try:
        expression = Expression(text)
    except ValueError:
        return requirement, "expression not understood"
    return requirement._replace(expression=expression), expression.unknown


class HostRule(NamedTuple):
    """A line `Allow from` or `Deny from`."""

    key: str
    words: Sequence[str]
    origin: Origin

    def holds(self, context: Context) -> Truth:
        """Whether it is for the visitor."""
        return any_of(self._is_for(word, context) for word in self.words)

    def _is_for(self, word: str, context: Context) -> Truth:
        lowered = word.lower()
        if lowered == "all":
            return True
        if lowered.startswith("env="):
            name = word[4:]
            is_set = _is_set(context, name.removeprefix("!"))
            return negated(is_set) if name.startswith("!") else is_set
        return None


class HostRules(NamedTuple):
    """The lines Order, Allow and Deny of a folder or section (mod_access_compat)."""

    rules: Sequence[HostRule] = ()
    order: str = ""
    origin: Origin | None = None
    satisfies_any: bool = False

    def allows(self, context: Context) -> Truth:
        """Whether the visitor may enter. Without Order, what is not denied is allowed."""
        allowed = any_of(rule.holds(context) for rule in self.rules if rule.key == "allow")
        denied = any_of(rule.holds(context) for rule in self.rules if rule.key == "deny")
        if self.order.lower().replace(" ", "") == "allow,deny":
            return all_of([allowed, negated(denied)])
        return any_of([allowed, negated(denied)])


class Refusal(NamedTuple):
    """The line and the status of a refusal."""

    origin: Origin
    status: int = 403


def refusal(
    requirements: Sequence[Requirement], rules: HostRules, context: Context, files: Files
) -> Refusal | None:
    """Whether a visitor without a name is refused, by the lines that count for a request.

    None if not, or if this is not known.
    """
    meets = not requirements or any_of(one.is_met(context, files) for one in requirements)
    allows = rules.allows(context)
    if rules.satisfies_any:
        is_allowed = any_of([meets, allows])
    else:
        is_allowed = all_of([meets, allows])
    if is_allowed is not False:
        return None
    if meets is False:
        names = [word.lower() for one in requirements for word in one.words[:1]]
        status = 401 if any(name in _LOGINS for name in names) else 403
        return Refusal(requirements[0].origin, status)
    assert rules.origin is not None
    return Refusal(rules.origin)
