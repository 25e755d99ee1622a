"""Messages about keys: pydantic's errors with file, line, key and what to do; the help of a key."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..errors import with_help
from .choices import OWN_SERVERS, SERVER_ADVICE
from .layers import Layer
from .settings import PATTERNS, Settings

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_TOOL = "tool"  # the table of pyproject.toml that holds the tables of tools
APPENDED_LISTS = ("ignore", "include")  # lists to which each layer adds; other lists are replaced


class Problem(NamedTuple):
    """A message about the configuration, and its line there, 0 for a message without one."""

    line: int
    text: str


class Faults(NamedTuple):
    """The problems of a configuration, and the names of its unknown keys by their table.

    `gzp` below `[sitemap]` → `unknown_keys` is {("sitemap",): ["gzp"]}. () is the top of the file.
    """

    problems: list[Problem]
    unknown_keys: Mapping[tuple[int | str, ...], Sequence[str]]

    def explain_missing(self, key: str) -> bool:
        """Whether one of the problems already says why `key` is missing at the top of the file.

            base_ulr = …                    true: the key is misspelt
            base_url below [sitemap]        true: the key is in the wrong table
            all keys in [tool.sitemapper]   true: this table is for pyproject.toml only
            no such problem                 false

        If true, the caller does not also report that the key is missing.
        """
        is_elsewhere = any(key in names or _TOOL in names for names in self.unknown_keys.values())
        unknown_at_the_top = self.unknown_keys.get((), ())
        is_misspelt = bool(did_you_mean(key, unknown_at_the_top))
        return is_elsewhere or is_misspelt


def find_faults(error: ValidationError, layers: Sequence[Layer]) -> Faults:
    """Turns pydantic's errors into messages with file and line, in pydantic's order.

    `priority = 2` in a rule → `sitemapper.toml:7: priority of the first [[rules]]: must be less
    than or equal to 1, not 2`. An error that only follows from another one is left out: `base_url`
    is missing because the file has `base_ulr`.
    """
    errors = error.errors(include_url=False)
    unknown_keys: dict[tuple[int | str, ...], list[str]] = {}
    for fault in errors:
        if fault["type"] == "extra_forbidden":  # pydantic's name for an unknown key
            *table, key = fault["loc"]
            unknown_keys.setdefault(tuple(table), []).append(str(key))
    problems = []
    for fault in errors:
        if not _is_implied(fault, unknown_keys):
            problems.append(_locate_fault(fault, layers))
    return Faults(problems=problems, unknown_keys=unknown_keys)


def _is_implied(
    fault: "ErrorDetails", unknown_keys: Mapping[tuple[int | str, ...], Sequence[str]]
) -> bool:
    """Whether an error of pydantic only follows from another one. The caller then leaves it out.

    | left out | reported instead |
    |---|---|
    | `base_url` is missing | unknown key `base_ulr` |
    | a list of wrong entries is too short | each of the entries |
    | `lastmod = 3` is no datetime, and no date | it is no text |
    """
    # A date may be a datetime, a date or a text, and pydantic has an error for each of the three.
    if fault["type"] in ("datetime_type", "date_type"):
        return True
    if fault["type"] == "too_short":
        return bool(fault["input"])  # the list has entries
    if fault["type"] != "missing":
        return False
    *table, missing_key = fault["loc"]
    # The key may be there, but misspelt.
    return bool(did_you_mean(str(missing_key), unknown_keys.get(tuple(table), ())))


def _locate_fault(fault: "ErrorDetails", layers: Sequence[Layer]) -> Problem:
    """Turns one error of pydantic into a message with the file and line that caused it.

    The location `("rules", 0, "priority")` → `sitemapper.toml:7: priority of the first [[rules]]:
    must be …`.

    | error in | caused by the last layer |
    |---|---|
    | any key | that sets the key, because it overrides the others |
    | a text of `ignore` or `include`, to which each layer adds | whose list has this text |
    | `ignore` or `include` itself, as in `ignore = 3` | whose value is no list |
    """
    location = fault["loc"]
    key = _key_at(location, fault["type"])
    message = describe_fault(fault)
    text = fault["input"] if isinstance(fault["input"], str) else ""
    is_entry_of_appended = len(location) == 2 and location[0] in APPENDED_LISTS
    if text and is_entry_of_appended:
        # The fifth pattern of all may be the first of its file, so the index does not help: the
        # layer with this text caused the error.
        name = str(location[0])
        with_text = [layer for layer in layers if text in layer.values.get(name, ())]
        return _problem_of_layer(name, text, message, with_text, layers)
    with_key = layers_with(key, layers)
    if key in APPENDED_LISTS:
        # The list itself is wrong, as in `ignore = 3`: the layer where it is no list caused this.
        with_key = [layer for layer in with_key if not isinstance(layer.values[key], tuple)]
    return _problem_of_layer(key, text, message, with_key, layers)


def locate_problem(key: str, message: str, layers: Sequence[Layer]) -> Problem:
    """Makes the problem of a key, with the file and line of the last layer that sets it.

    `base_url`, `is a file` → line 3, and `sitemapper.toml:3: base_url: is a file`.
    """
    return _problem_of_layer(key, "", message, layers_with(key, layers), layers)


def layers_with(key: str, layers: Sequence[Layer]) -> list[Layer]:
    """Finds the layers that set a key such as `rules[0].priority`.

    They stay in their order, in which a later layer overrides an earlier one.
    """
    # `rules[0].priority` → `rules`, `0`, `priority`.
    steps = re.findall(r"[^.\[\]]+", key)
    if not steps:
        return []
    return [layer for layer in layers if has_key(layer.values, steps)]


def _problem_of_layer(
    key: str, item: str, message: str, with_key: Sequence[Layer], layers: Sequence[Layer]
) -> Problem:
    """Makes the problem of a key, with the place where it is set: `sitemapper.toml:7: ignore: …`.

    | layers | place in the message |
    |---|---|
    | `with_key`, which set the key | the last of these |
    | none sets it, because the key is missing | the configuration file |
    | none sets it, and there is no file | the word `settings`, without a line |

    The line is that of the key, or with `item`, that of this string in its list.
    """
    files = [layer for layer in layers if layer.lines]
    if with_key:
        layer = with_key[-1]
    elif files:
        layer = files[0]
    else:
        return Problem(0, f"settings: {key}: {message}")
    return Problem(layer.line_of(key, item), f"{layer.describe_place(key, item)}: {message}")


def _key_at(loc: tuple[int | str, ...], kind: str) -> str:
    """Turns pydantic's location of an error into a key of the configuration.

    ("rules", 0, "priority") → `rules[0].priority`. `kind` is the type of the error. pydantic adds
    the branch of a union to a location, which is left out: ("urls", 0, "lastmod", "date") →
    `urls[0].lastmod`.
    """
    if kind == "extra_forbidden":
        # The last step is a user's key: `"a b"` needs quotes, and one with a bracket is no branch.
        above = _key_at(loc[:-1], "")
        name = str(loc[-1])
        if not re.fullmatch(r"[\w-]+", name):
            name = json.dumps(name, ensure_ascii=False)
        return f"{above}.{name}" if above else name
    key = ""
    for step in loc:
        if isinstance(step, int):
            key += f"[{step}]"
        elif not _is_branch(step, key):
            key += f".{step}" if key else step
    return key


def _is_branch(step: str, above: str) -> bool:
    """Whether a step of pydantic's location is no key, but a branch of a union or a validator.

        ("rules", 0, "lastmod", "date")                         `date` is the branch for a date
        ("site", "function-after[_check_path(), str]")          a validator: it has brackets

    `above` is the key before the step, such as `rules[0].lastmod`. Only the key `lastmod` has a
    union whose branches pydantic names.
    """
    return "[" in step or (step in ("datetime", "date", "str") and above.endswith(".lastmod"))


def has_key(values: Any, steps: list[str]) -> bool:
    """Whether a table has a key, given as steps: for `rules[0].match`, ["rules", "0", "match"]."""
    for step in steps:
        if isinstance(values, Mapping) and step in values:
            values = values[step]
        elif isinstance(values, tuple) and step.isdigit() and int(step) < len(values):
            values = values[int(step)]
        else:
            return False
    return True


def describe_fault(fault: Mapping[str, Any]) -> str:
    """Says what is wrong with one value, and what to do: `must be true or false, not 'maybe'`.

    `fault` is an error of pydantic. Errors without a sentence of ours keep pydantic's text.
    """
    value = fault.get("input")
    match fault["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return with_help("unknown key", _help_for_unknown_key(fault["loc"]))
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type" | "dict_type":
            return _explain_table(fault["loc"][0], value)
        case "tuple_type":
            return _explain_list(fault["loc"], value)
        case "too_short":
            return "must have at least one entry"
        case "string_pattern_mismatch":
            pattern = PATTERNS[fault["ctx"]["pattern"]]
            problem = f"must be {pattern.description}, not {_as_toml(value)}"
            return with_help(problem, f"write for example {pattern.example}")
        case "literal_error":
            return _explain_choice(fault["msg"], value)
        case "string_type":
            return _explain_text(fault["loc"], value)
        case "bool_type":
            return f"must be true or false, not {_as_toml(value)}"
        case "int_parsing" | "float_parsing":
            return f"must be a number, not {_as_toml(value)}"
    text = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    return f"{text}, not {_as_toml(value)}"


def _explain_table(name: int | str, value: Any) -> str:
    """Says what is wrong with a value such as `dates = "UTC"`, where `[dates]` must be a table.

    `must be a table`, with the help `write [dates] and its keys on the lines below it`
    """
    help = f"write [{name}] and its keys on the lines below it"
    if name == "sitemap" and isinstance(value, tuple):
        help += "; for several sitemaps write [[sitemaps]]"
    return with_help("must be a table", help)


def _explain_list(loc: tuple[int | str, ...], value: Any) -> str:
    """Says what is wrong with a value that must be a list.

    [rules]        must be a list of tables: write [[rules]]
    lastmod = 3    must be a list: write [] for an empty one
    """
    # A single text may stand for a list of texts. So where one is wrong, tables are wanted.
    if isinstance(value, dict | str):
        name = ".".join(map(str, loc))
        return with_help("must be a list of tables", f"write [[{name}]]")
    return with_help("must be a list", "write [] for an empty one")


def _explain_text(loc: tuple[int | str, ...], value: Any) -> str:
    """Says what is wrong with a value that must be a text, or a date.

        lastmod = 3        must be a date, not 3: write it as 2026-03-01
        site = ["public"]  must be one text, not a list: leave out the brackets
        site = 3           must be a text, not 3: put it in quotes

    `loc` are the steps of the key. `lastmod` is the last or, before the branch of a union, the last
    but one.
    """
    if "lastmod" in loc[-2:]:
        return with_help(f"must be a date, not {_as_toml(value)}", "write it as 2026-03-01")
    if isinstance(value, tuple):
        return with_help("must be one text, not a list", "leave out the brackets")
    return with_help(f"must be a text, not {_as_toml(value)}", "put it in quotes")


def _explain_choice(message: str, value: Any) -> str:
    """Says what is wrong with a value that is none of the allowed ones, and which may be meant.

    `message` is pydantic's: `Input should be 'no', 'also' or 'only'`.
    """
    allowed = re.findall(r"'([^']*)'", message)
    help = did_you_mean(value, allowed) if isinstance(value, str) else ""
    if value in OWN_SERVERS:  # only `host` has ever had these names
        help = SERVER_ADVICE
    if isinstance(value, bool):
        # `gzip = true`: people expect a switch. The first value of our settings turns it off.
        choice = allowed[1] if value else allowed[0]
        help = f'write "{choice}", with the quotes'
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
    | `site` below `[sitemap]` | it belongs at the top, above [sitemap] |
    | `gzip` at the top | it belongs under [sitemap] |
    | `gzp` below `[sitemap]` | did you mean 'gzip'? |
    | any other | valid keys are … |
    """
    if loc == (_TOOL,):
        return "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"
    *above, name = loc
    if above and name in Settings.model_fields:
        return f"it belongs at the top, above {_header_of_table(above)}"
    if not above:
        table = _table_with(name)
        if table:
            return f"it belongs under [{table}]"
    keys = _keys_of(above)
    return did_you_mean(str(name), keys) or f"valid keys are {', '.join(keys)}"


def _header_of_table(steps: Sequence[int | str]) -> str:
    """Writes the header of a table: ["dates"] → `[dates]`, ["rules", 0] → `[[rules]]`."""
    if len(steps) > 1 and isinstance(steps[1], int):
        return f"[[{steps[0]}]]"
    return f"[{'.'.join(map(str, steps))}]"


def _table_with(key: int | str) -> str:
    """Finds the first table in Settings that has a key: `gzip` → `sitemap`. "" if none has."""
    for name, field in Settings.model_fields.items():
        table = field.default
        if isinstance(table, BaseModel) and key in type(table).model_fields:
            return name
    return ""


def _keys_of(steps: Sequence[int | str]) -> list[str]:
    """Lists the valid keys of a table of the configuration, for a message about an unknown key.

        []              the top of the file     → base_url, site, output, …
        ["dates"]       `[dates]`               → timezone, date_only
        ["rules", 0]    the first `[[rules]]`   → match, changefreq, …

    `steps` lead from the top of the file to the table.
    """
    model: Any = Settings
    for step in steps:
        # A number is the place of an entry. All entries of `[[rules]]` have the same model. A name
        # that is no key, as below an unknown table, leaves the model as it is.
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    # The alias is the key that users write, where the field has another name: `validate`.
    return [field.alias or name for name, field in model.model_fields.items()]


def table_of(kind: Any) -> type[BaseModel] | None:
    """Returns the model of the tables that a type has, None for a type without tables.

    `Dates` → Dates; `tuple[RuleConfig, ...]` → RuleConfig; `str | None` → None.
    """
    # The type itself, or what it consists of: `tuple[RuleConfig, ...]` has RuleConfig in it.
    for member in (kind, *get_args(kind)):
        if isinstance(member, type) and issubclass(member, BaseModel):
            return member
    return None


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
    """Writes what --help says of a key: its description, and its limits or the values of its list.

    `sitemap.gzip` → `Which files to compress. …`, and `sitemap.max_urls` → `URLs per file. …
    [1 to 50,000]`.
    """
    *tables, name = key.split(".")
    model: Any = Settings
    for table in tables:
        model = table_of(model.model_fields[table].annotation)
    field = model.model_fields[name]
    notes = [*_note_on_limits(field), *_notes_on_list(key, field.annotation)]
    if not notes:
        return str(field.description)
    return f"{field.description}  [{'; '.join(notes)}]"


def _note_on_limits(field: "FieldInfo") -> Iterator[str]:
    """Yields the limits of a key's values, the lower one first: `0 to 100` for `max_drop`.

    Yields nothing for a key without limits, such as `site`.
    """
    limits = []
    # In pydantic, `ge` is the lower limit ("greater or equal"), and `le` is the upper one. The
    # metadata of the field has an object for each: annotated_types.Ge(ge=0), Le(le=100).
    for name_of_limit in ("ge", "le"):
        for constraint in field.metadata:
            limit = getattr(constraint, name_of_limit, None)
            if limit is not None:
                limits.append(format_number(limit))
    if limits:
        yield " to ".join(limits)


def _notes_on_list(key: str, kind: Any) -> Iterator[str]:
    """Yields what --help says of a key that is a list. `kind` is the type of the key.

        lastmod    → `page, published, …, mtime` and `repeatable`
        ignore     → `adds to the configuration` and `repeatable`
        extra      → `repeatable`: its flag may be given several times
        site       → nothing: it is no list

    The first note has the words that may be in the list. `auto` is left out, because it stands
    alone, never in a list.
    """
    if get_origin(kind) is not tuple:
        return
    item_type = get_args(kind)[0]
    words = [word for word in get_args(item_type) if isinstance(word, str)]
    if words:
        yield ", ".join(word for word in words if word != "auto")
    if key in APPENDED_LISTS:
        yield "adds to the configuration"
    yield "repeatable"


def format_number(value: float) -> str:
    """Writes a number for a message: 50000 → `50,000`, 0.5 → `0.5`, 100 and 100.0 → `100`.

    Some versions of pydantic have a whole limit as 100, and others as 100.0.
    """
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
