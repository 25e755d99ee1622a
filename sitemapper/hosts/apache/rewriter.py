"""How mod_rewrite runs the rules of a folder for one request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...model import Origin
from .request import Base, Context, Files, Located, Request
from .rewriting import RewriteRule, evaluate
from .truth import Truth

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_MOST_ROUNDS = 10  # of the flag N


class Rewrites(NamedTuple):
    """The rules that count in a folder: their prefix, the value of RewriteBase, and the rules."""

    folder: str
    base: str
    rules: Sequence[RewriteRule]


class Rewritten(NamedTuple):
    """What the rules make of a request.

    `status` is that of the answer, 0 if none is given. `target` is where a redirect leads, or the
    new path inside the server. `doubt` is true if a rule is unknown after which others may not run.
    """

    status: int = 0
    target: str = ""
    args: str = ""
    origin: Origin | None = None
    is_ended: bool = False
    doubt: bool = False
    source: str = ""  # of a redirect without conditions


class _Match(NamedTuple):
    """Whether a rule applies, and the context for its target."""

    applies: Truth
    context: Context


class Rewriter:
    """A run of the rules for one request, whose file name changes by the way."""

    def __init__(
        self, rewrites: Rewrites, base: Base, request: Request, located: Located, files: Files
    ) -> None:
        self._rewrites = rewrites
        self._base = base
        self._request = request
        self._files = files
        self._info = located.info
        self._start = located.file
        self._context = Context(base, request, located.file, located.info)
        self._filename = located.file  # a path, or the URL of a redirect
        self._origin: Origin | None = None
        self._is_redirect = False
        self._source = ""
        self._status = 0
        self._rounds = 0

    def run(self) -> Rewritten:
        """Applies the rules in order, until one ends them."""
        rules = self._rewrites.rules
        number = 0
        while number < len(rules):
            rule = rules[number]
            number += 1
            if self._request.is_subrequest and {"R", "NS"} & rule.flags.names:
                continue  # mod_rewrite: R includes NS
            match = self._match(rule)
            if match.applies is False:
                number = _after_chain(rules, number - 1)
                continue
            if match.applies is None:
                if rule.hides_later_rules:
                    return self._result(is_ended=False)._replace(doubt=True)
                continue
            if rule.refusal:
                return Rewritten(rule.refusal, origin=rule.origin)
            if rule.target != "-" and not self._substitute(rule, match.context):
                return self._result(is_ended=False)._replace(doubt=True)
            self._set_variables(rule, match.context)
            if "N" in rule.flags.names and self._rounds < _MOST_ROUNDS:
                self._rounds += 1
                number = 0
                continue
            if {"L", "END", "PT"} & rule.flags.names:
                return self._result(is_ended="END" in rule.flags.names)
            number += rule.flags.skipped
        return self._result(is_ended=False)

    def _match(self, rule: RewriteRule) -> _Match:
        """Whether a rule applies: first its pattern, then its conditions."""
        text = self._filename
        if not self._is_redirect:
            text += self._info
            text = text.removeprefix(self._rewrites.folder)
        context = self._context._replace(filename=self._filename, request=self._request)
        if rule.pattern is None or not rule.is_certain:
            return _Match(None, context)
        is_match = rule.pattern.matches(text)
        if is_match == rule.is_not:
            return _Match(False, context)
        groups = rule.pattern.groups(text) if is_match else ()
        context = context._replace(rule_groups=groups, condition_groups=())
        return self._check_conditions(rule, context)

    def _check_conditions(self, rule: RewriteRule, context: Context) -> _Match:
        """Whether all conditions hold. Those joined by OR count as one."""
        result: Truth = True
        held: Truth = False  # of the conditions joined so far
        for condition in rule.conditions:
            if held is True:
                found_true = True
            else:
                one = evaluate(condition, context, self._files)
                found_true = one.holds is True
                if found_true and not condition.is_not:
                    context = context._replace(condition_groups=one.groups)
                held = True if found_true else (None if None in (held, one.holds) else False)
            if condition.is_or:
                continue
            if held is False:
                return _Match(False, context)
            if held is None:
                result = None
            held = False
        return _Match(result, context)

    def _substitute(self, rule: RewriteRule, context: Context) -> bool:
        """Puts the target of a rule in the place of the file name. False if it is not known."""
        path, question_mark, args = rule.target.partition("?")
        target = context.expand(path)
        new_args = context.expand(args)
        if target is None or new_args is None:
            return False
        if question_mark:
            if "QSA" in rule.flags.names and self._request.args:
                new_args = f"{new_args}&{self._request.args}"
            self._request = self._request._replace(args=new_args)
        if "DPI" in rule.flags.names:
            self._info = ""
        self._is_redirect = "R" in rule.flags.names
        if _URL.match(target):
            own_path = "" if self._is_redirect else self._own_path(target)
            self._is_redirect = not own_path
            self._filename = own_path or target
        else:
            path = self._path_of(target)
            self._filename = self._base.origin + path if self._is_redirect else path
        self._status = rule.flags.status if self._is_redirect else 0
        self._origin = rule.origin
        self._source = "" if rule.conditions else rule.source
        return True

    def _path_of(self, target: str) -> str:
        """The path for a target without a host. One without a slash is in the folder."""
        root = self._context.root
        if target.startswith(f"{root}/"):
            return target[len(root) :]
        if target.startswith("/"):
            return target
        path = self._rewrites.folder + target
        if not self._is_redirect:
            return path
        if not self._rewrites.base:
            return root + path  # Apache shows its own folders in such a redirect
        return self._with_base(path)

    def _own_path(self, url: str) -> str:
        """The path of a URL of the same host, "" for another one."""
        origin, path = self._base.origin, url[len(self._base.origin) :]
        if url.lower().startswith(origin) and path[:1] in ("", "/"):
            return path or "/"
        return ""

    def _with_base(self, path: str) -> str:
        """A path in which RewriteBase stands for the prefix of the folder."""
        if not self._rewrites.base or not path.startswith(self._rewrites.folder):
            return path
        return self._rewrites.base.rstrip("/") + "/" + path.removeprefix(self._rewrites.folder)

    def _set_variables(self, rule: RewriteRule, context: Context) -> None:
        env = dict(self._request.env)
        for text in rule.flags.variables:
            name, _, value = text.partition(":")
            if name.startswith("!"):
                env[name[1:]] = ""
            else:
                env[name] = context.expand(value)
        self._request = self._request._replace(env=env)

    def _result(self, *, is_ended: bool) -> Rewritten:
        """What the rules made of the request so far."""
        if self._is_redirect:
            found = Rewritten(self._status, self._filename, self._request.args, self._origin)
            return found._replace(source=self._source)
        is_same = self._filename == self._start and not self._request.args
        if self._origin is None or is_same:
            return Rewritten()
        target = self._with_base(self._filename)
        return Rewritten(0, target, self._request.args, self._origin, is_ended)

    @property
    def env(self) -> dict[str, str | None]:
        """The variables after the run."""
        return dict(self._request.env)


def _after_chain(rules: Sequence[RewriteRule], number: int) -> int:
    """The number of the rule after one that does not apply, and after those chained to it."""
    while number < len(rules) and "C" in rules[number].flags.names:
        number += 1
    return number + 1
