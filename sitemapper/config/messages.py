"""Messages about keys: pydantic's errors with file, line, key and what to do; the help of a key."""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from pydantic import ValidationError

from ..errors import with_help
from .choices import OWN_SERVERS, SERVER_ADVICE
from .layers import Layer, last_layer_with, table_of
from .settings import PATTERNS, Settings, fields_by_key

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_TOOL = "tool"  # the table of pyproject.toml that holds the tables of tools
APPENDED_LISTS = ("ignore", "include")  # lists to which each layer adds; other lists are replaced
# What other generators and tools call a key, where the most similar key is another one.
_KEYS_OF_OTHER_TOOLS = {"exclude": "ignore", "url": "base_url"}
# Keys that sitemapper had before its first release, and what to do without them.
KEYS_THAT_LEFT = {
    "cache": "remove it, because each run reads the pages again",
    "extra": 'write a table [[urls]] with loc = "URL" for each of its URLs',
    "sitemap.view": "remove it, because browsers show the XML itself",
    "robots.agents": "remove it, because the rules of robots.txt for all crawlers (*) decide",
    "respect.not_a_page": "remove it; to list such a file nevertheless, name it in include",
    "check.gone": "remove it; for the build that loses these URLs, pass --max-drop 100",
    "ledger.live": 'set the ledger\'s path to a file in the output folder, and previous = "live"',
    "submit.key_location": "remove it, because a build publishes KEY.txt in the output folder",
    "validate": "remove it; to leave out rules, pass --disable CODE",
}
# What is wrong with a value, by pydantic's type of the error. Only these need nothing but the value
# and the limits of its key.
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have at least one entry",
    "string_too_short": "must have at least 1 character, not {value}",
    "bool_type": "must be true or false, not {value}",
    "int_type": "must be a valid integer, not {value}",
    "float_type": "must be a valid number, not {value}",
    "int_parsing": "must be a number, not {value}",
    "float_parsing": "must be a number, not {value}",
    "greater_than_equal": "must be greater than or equal to {ge}, not {value}",
    "less_than_equal": "must be less than or equal to {le}, not {value}",
}


class Problem(NamedTuple):
    """A message about the configuration, and its line there, 0 for a message without one."""

    line: int
    text: str


class Loaded(NamedTuple):
    """The settings of all layers, or else what is wrong with them.

    - `settings` are None if there are problems
    - `problems` are messages, sorted by their lines; those without a line come first
    - `unknown_keys` are their names by table: `gzp` below `[sitemap]` → {("sitemap",): ["gzp"]}; ()
      is the top of the file
    """

    settings: Settings | None
    problems: tuple[str, ...] = ()
    unknown_keys: Mapping[tuple[int | str, ...], Sequence[str]] = MappingProxyType({})

    def explain_missing(self, key: str) -> bool:
        """Whether one of the problems already says why `key` is missing at the top of the file.

            base_ulr = "…"         true: the key `base_url` is misspelt
            [sitemap]
            base_url = "…"         true: it is in the wrong table
            [tool.sitemapper]
            base_url = "…"         true: this table is for pyproject.toml only
            no base_url at all     false

        If true, the caller does not also report that the key is missing.
        """
        # The key of the top of the file is the empty tuple: {(): ["base_ulr"]}.
        is_misspelt = bool(did_you_mean(key, self.unknown_keys.get((), ())))
        all_unknown = [name for names in self.unknown_keys.values() for name in names]
        is_in_wrong_table = key in all_unknown
        # With [tool.sitemapper] in sitemapper.toml, all keys below it are missing.
        has_table_of_pyproject = _TOOL in all_unknown
        return is_misspelt or is_in_wrong_table or has_table_of_pyproject


def find_faults(error: ValidationError, layers: Sequence[Layer]) -> Loaded:
    """Turns pydantic's errors into messages with file and line, sorted by line.

    `priority = 2` in a rule → `sitemapper.toml:7: priority of the first [[rules]]: must be less
    than or equal to 1, not 2`.

    A rule with `mach = "a/"` has two errors: `mach` is unknown, and `match` is missing. The second
    one only follows from the first one, and is left out.
    """
    errors = error.errors(include_url=False)
    # The unknown keys of each table: {("rules", 0): ["mach"]}. They show that `match` is misspelt.
    unknown_keys: dict[tuple[int | str, ...], list[str]] = {}
    for fault in errors:
        if fault["type"] == "extra_forbidden":  # pydantic's name for an unknown key
            *table, key = fault["loc"]
            unknown_keys.setdefault(tuple(table), []).append(str(key))
    problems = []
    for fault in errors:
        if not _follows_from_another(fault, unknown_keys):
            problems.append(_locate_fault(fault, layers))
    problems.sort(key=lambda problem: problem.line)  # those of one line stay in pydantic's order
    texts = tuple(problem.text for problem in problems)
    return Loaded(settings=None, problems=texts, unknown_keys=unknown_keys)


def _follows_from_another(
    fault: "ErrorDetails", unknown_keys: Mapping[tuple[int | str, ...], Sequence[str]]
) -> bool:
    """Whether an error of pydantic only follows from another one. The caller then leaves it out.

    `unknown_keys` are by the tables that have them: {("rules", 0): ["mach"]}.
    """
    # `lastmod = 3` is no datetime, no date and no text. A date may be written as a text, so it is
    # enough to say that it is no text.
    if fault["type"] in ("datetime_type", "date_type"):
        return True
    # `match = [3]`: 3 is no text, and the list without it is too short. `match = []` has no other
    # error.
    if fault["type"] == "too_short":
        return bool(fault["input"])
    if fault["type"] != "missing":
        return False
    # `mach = "a/"`: `mach` is unknown, and `match` is missing. Without a similar key, it is really
    # missing.
    *table, missing_key = fault["loc"]
    hint = did_you_mean(str(missing_key), unknown_keys.get(tuple(table), ()))
    return hint != ""


def _locate_fault(fault: "ErrorDetails", layers: Sequence[Layer]) -> Problem:
    """Turns one error of pydantic into a message with the file and line that caused it.

    An error at `("rules", 0, "priority")` → `sitemapper.toml:7: priority of the first [[rules]]:
    must be less than or equal to 1, not 2`. `layers` are the file, the environment and the flags.
    """
    value = fault["input"]
    key = _write_key(fault["loc"])  # `ignore[4]`
    # If a list has several lines, the message names the one with this text.
    item = value if isinstance(value, str) else ""
    message = describe_fault(fault)
    key_without_index = key.partition("[")[0]  # `ignore`
    if key_without_index not in APPENDED_LISTS:
        return locate_problem(key, message, layers, item)
    # The lists of all layers were joined to one, for which pydantic counts: item 4 may be the first
    # one in its own file. So the message has no index, and names the layer that has the value.
    layers_with_value = [layer for layer in layers if value in _items_of(layer, key_without_index)]
    return locate_problem(key_without_index, message, layers_with_value, item)


def _items_of(layer: Layer, key: str) -> tuple[Any, ...]:
    """Returns the items that a layer has in a list: `ignore = ["a", 3]` → ("a", 3).

    `ignore = 3` is an error, and counts as a list of 3. Empty if the layer does not set the key.
    """
    value = layer.values.get(key, ())
    return value if isinstance(value, tuple) else (value,)  # layers have tuples for all lists


def _write_key(loc: tuple[int | str, ...]) -> str:
    """Writes the place of an error in the settings as a key of TOML.

    `("rules", 0, "priority")` → `rules[0].priority`, and `("sitemap", "a b")` → `sitemap."a b"`.
    """
    key = ""
    for step in loc:
        if isinstance(step, int):  # the number of an entry
            key += f"[{step}]"
            continue
        # A date may have several types. pydantic adds the one that it has tried, which is no key:
        # ("rules", 0, "lastmod", "date").
        if key.endswith("].lastmod"):
            continue
        needs_no_quotes = re.fullmatch(r"[\w-]+", step)
        name = step if needs_no_quotes else json.dumps(step, ensure_ascii=False)
        key += f".{name}" if key else name
    return key


def locate_problem(key: str, message: str, layers: Sequence[Layer], item: str = "") -> Problem:
    """Makes the error message about a key, which begins with the place where the key is set.

    | `key` = `base_url`, `message` = `is a file` | the text of the problem |
    |---|---|
    | the last layer that sets it is a file | `sitemapper.toml:3: base_url: is a file` |
    | this layer is the command line | `--base-url: is a file` |
    | no layer sets it, but there is a file | `sitemapper.toml:1: base_url: is a file` |
    | there is no file, either | `settings: base_url: is a file` |

    The problem also has the number of the line, by which messages are sorted. With `item`, that is
    the line of this string in the list of the key.
    """
    file_layer = next((layer for layer in layers if layer.lines), None)
    layer = last_layer_with(key, layers) or file_layer
    if layer is None:
        return Problem(line=0, text=f"settings: {key}: {message}")
    return Problem(layer.line_of(key, item), f"{layer.describe_place(key, item)}: {message}")


def describe_fault(fault: Mapping[str, Any]) -> str:
    """Says what is wrong with one value, and what to do: `must be true or false, not 'maybe'`.

    `fault` is an error of pydantic, with a type, the place (`loc`) and the value (`input`).
    """
    value = fault.get("input")
    match fault["type"]:
        case "extra_forbidden":
            return with_help("unknown key", _help_for_unknown_key(fault["loc"]))
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type" | "dict_type":
            return _explain_table(fault["loc"][0], value)
        case "tuple_type":
            return _explain_list(fault["loc"], value)
        case "string_pattern_mismatch":
            description, example = PATTERNS[fault["ctx"]["pattern"]]
            problem = f"must be {description}, not {_as_toml(value)}"
            return with_help(problem, f"for example: {example}")
        case "literal_error":
            return explain_choice(value, re.findall(r"'([^']*)'", fault["ctx"]["expected"]))
        case "string_type":
            return _explain_text(fault["loc"], value)
    # `must be less than or equal to {le}, not {value}`. For a type without a sentence of ours, the
    # message of pydantic is used.
    sentence = _SENTENCES.get(fault["type"], f"{fault['msg']}, not {{value}}")
    limits = {name: _as_toml(limit) for name, limit in fault.get("ctx", {}).items()}
    return sentence.format(value=_as_toml(value), **limits)


def _explain_table(name: int | str, value: Any) -> str:
    """Says what is wrong with a value where a table is needed.

    `dates = "UTC"` → `must be a table`, with the help `write [dates] and its keys on the lines
    below it`.
    """
    help = f"write [{name}] and its keys on the lines below it"
    if name == "sitemap" and isinstance(value, tuple):  # `[[sitemap]]`, a list of tables
        help += "; for several sitemaps write [[sitemaps]]"
    return with_help("must be a table", help)


def _explain_list(loc: tuple[int | str, ...], value: Any) -> str:
    """Says what is wrong with a value that must be a list. `loc` are the steps of its key.

    [rules]          must be a list of tables; write [[rules]]
    rules = "a/"     must be a list of tables; write [[rules]]
    lastmod = 3      must be a list; write [] for an empty one
    """
    # A key for a list of texts, such as `ignore`, also accepts one text. So if a text is an error,
    # the key is for a list of tables. A table is mostly meant as an entry of such a list, too.
    is_list_of_tables = isinstance(value, dict | str)
    if is_list_of_tables:
        name = ".".join(map(str, loc))
        return with_help("must be a list of tables", f"write [[{name}]]")
    return with_help("must be a list", "write [] for an empty one")


def _explain_text(loc: tuple[int | str, ...], value: Any) -> str:
    """Says what is wrong with a value that must be a text, or a date.

        lastmod = 3        must be a date, not 3: write it as 2026-03-01
        site = ["public"]  must be a string, not a list: leave out the brackets
        site = 3           must be a string, not 3: put it in quotes

    `loc` are the steps of the key in pydantic's error: ("site",).
    """
    # A date may have several types, and pydantic adds the one that it has tried after the key:
    # ("urls", 0, "lastmod", "str").
    is_date = "lastmod" in loc[-2:]
    if is_date:
        return with_help(f"must be a date, not {_as_toml(value)}", "write it as 2026-03-01")
    if isinstance(value, tuple):  # the layers have tuples for all lists
        return with_help("must be a string, not a list", "leave out the brackets")
    return with_help(f"must be a string, not {_as_toml(value)}", "put it in quotes")


def explain_choice(value: Any, allowed: Sequence[str]) -> str:
    """Says what is wrong with a value that is none of the allowed ones, and which may be meant.

    `gzip = "alos"` → `must be one of no, also, only, not 'alos'`, and `did you mean 'also'?`
    """
    help = ""
    if isinstance(value, bool):
        # `gzip = true`: people expect a switch. `no` is the first of the allowed values.
        choice = allowed[1] if value else allowed[0]
        help = f'write "{choice}", with the quotes'
    elif value in OWN_SERVERS:  # names of servers, which were once allowed for `host`
        help = SERVER_ADVICE
    elif isinstance(value, str):
        help = did_you_mean(value, allowed)
    return with_help(f"must be one of {', '.join(allowed)}, not {_as_toml(value)}", help)


def _as_toml(value: Any) -> str:
    """Writes a value as users write it in TOML: True → `true`, 5.0 → `5`, "a" → `'a'`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return repr(value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return "a number of thousands of digits"


def _help_for_unknown_key(loc: tuple[int | str, ...]) -> str:
    """Says what to do about an unknown key. `loc` are its steps: ("sitemap", "gzp").

    | unknown key | help |
    |---|---|
    | `[validate]`, which left | remove it; to leave out rules, pass --disable CODE |
    | `[tool.sitemapper]` in sitemapper.toml | remove tool.sitemapper from the names of tables |
    | `site` below `[sitemap]` | it belongs at the top, above [sitemap] |
    | `gzip` at the top | it belongs under [sitemap] |
    | `gzp` below `[sitemap]` | did you mean 'gzip'? |
    | `exclude`, as other tools say | did you mean 'ignore'? |
    | `foo` below `[dates]` | valid keys are timezone, date_only |
    """
    key = ".".join(map(str, loc))
    if key in KEYS_THAT_LEFT:
        return KEYS_THAT_LEFT[key]
    if loc == (_TOOL,):
        return "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"
    *above, name = loc
    # 1. A key that is known, but elsewhere: at the top, or in a table.
    if above and name in Settings.model_fields:
        header = f"[{'.'.join(map(str, above))}]"
        if isinstance(above[-1], int):  # an entry of a list of tables: `[[rules]]`
            header = f"[[{above[0]}]]"
        return f"it belongs at the top, above {header}"
    if not above:
        for known in fields_by_key():
            if known.endswith(f".{name}"):
                return f"it belongs under [{known.partition('.')[0]}]"
    # 2. A key that is known nowhere. Find the model of the table in which it stands, for similar
    # keys. Steps without a model of their own are passed over, such as the number of a rule.
    model: Any = Settings
    for step in above:
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    keys = list(model.model_fields)
    if not above and name in _KEYS_OF_OTHER_TOOLS:
        return f"did you mean {_KEYS_OF_OTHER_TOOLS[name]!r}?"
    return did_you_mean(str(name), keys) or f"valid keys are {', '.join(keys)}"


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """Writes a hint with the one of `words` that is most similar to a misspelt `word`.

    `base_ulr` → `did you mean 'base_url'?`. "" if none is similar.
    """
    word_by_letters = {_only_letters(text): text for text in words}
    # 0.6 is the default of difflib: `base_ulr` is similar to `base_url`, `name` to none.
    similar = difflib.get_close_matches(_only_letters(word), word_by_letters, n=1, cutoff=0.6)
    if not similar:
        return ""
    return f"did you mean {word_by_letters[similar[0]]!r}?"


def _only_letters(word: str) -> str:
    """Reduces a key to lower-case letters: `base_url`, `base-url` and `baseURL` → `baseurl`."""
    return re.sub(r"[_-]", "", word).lower()


def key_help(key: str) -> str:
    """Writes what --help says of a key: its description, and notes on its values in brackets.

    sitemap.gzip        Which files to compress. …
    sitemap.max_urls    URLs per file. …  [1 to 50,000]
    lastmod             Sources of dates, …  [page, published, …, mtime; repeatable]
    ignore              Files to leave out, …  [adds to the configuration; repeatable]
    """
    field = fields_by_key()[key]
    notes = []
    # 1. Its limits, which pydantic keeps in objects such as Ge(ge=0), "greater or equal", and
    # Le(le=100).
    limits = {}
    for constraint in field.metadata:
        for name in ("ge", "le"):
            if hasattr(constraint, name):
                limits[name] = format_number(getattr(constraint, name))
    if limits:
        notes.append(f"{limits['ge']} to {limits['le']}")
    # 2. What a list may have, and that its flag may be given several times.
    if get_origin(field.annotation) is tuple:
        item_type = get_args(field.annotation)[0]
        # The words that may be in the list. `auto` stands alone, never in a list.
        words = [word for word in get_args(item_type) if isinstance(word, str) and word != "auto"]
        if words:
            notes.append(", ".join(words))
        if key in APPENDED_LISTS:
            notes.append("adds to the configuration")
        notes.append("repeatable")
    if not notes:
        return str(field.description)
    return f"{field.description}  [{'; '.join(notes)}]"


def format_number(value: float) -> str:
    """Writes a number for a message: 50000 → `50,000`, 0.5 → `0.5`, 100 and 100.0 → `100`.

    Some versions of pydantic have a whole limit as 100, and others as 100.0.
    """
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
