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
    """The problems of a configuration, and the names of unknown keys by their table."""

    problems: list[Problem]
    unknown_keys: Mapping[tuple[int | str, ...], Sequence[str]]

    def explain_missing(self, key: str) -> bool:
        """Whether one of the problems already says why a key is missing at the top of the file.

        It is misspelt, as `base_ulr = …`, or in another table, as `base_url` below `[sitemap]`. The
        caller then does not report the missing key, too.
        """
        # With a table [tool.sitemapper], all keys are in the wrong table.
        is_elsewhere = any(key in names or _TOOL in names for names in self.unknown_keys.values())
        return is_elsewhere or bool(did_you_mean(key, self.unknown_keys.get((), ())))


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
    """Whether an error of pydantic only follows from another one, which is reported anyway.

    | error | also reported |
    |---|---|
    | `base_url` is missing | unknown key `base_ulr` |
    | a list of wrong entries is too short | each of the entries |
    | `lastmod = 3` is no datetime, and no date | it is no text |
    """
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
    must be …`. The last layer that sets the key caused the error, with two exceptions for lists to
    which layers add, such as `ignore`.
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
    """Makes the problem of a key, with the file and line of the last layer that sets it."""
    return _problem_of_layer(key, "", message, layers_with(key, layers), layers)


def layers_with(key: str, layers: Sequence[Layer]) -> list[Layer]:
    """The layers that set a key such as `rules[0].priority`, the lowest first."""
    steps = re.findall(r"[^.\[\]]+", key)
    if not steps:
        return []
    return [layer for layer in layers if has_key(layer.values, steps)]


def _problem_of_layer(
    key: str, item: str, message: str, with_key: Sequence[Layer], layers: Sequence[Layer]
) -> Problem:
    """Makes the problem of a key, with the place where it is set: `sitemapper.toml:7: ignore: …`.

    The place is in the last of the layers `with_key`, which set the key. If no layer does, because
    the key is missing, it is the file; without a file, the text begins with `settings`. The line is
    that of the key, or of the string `item` in its list.
    """
    files = [layer for layer in layers if layer.lines]
    possible_layers = [*files[:1], *with_key]
    if not possible_layers:
        return Problem(0, f"settings: {key}: {message}")
    layer = possible_layers[-1]
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

    ("rules", 0, "lastmod", "date") is the error for a date: `date` is no key. The step of a
    validator has brackets: `function-after[_check_path(), str]`.
    """
    return "[" in step or (step in ("datetime", "date", "str") and above.endswith(".lastmod"))


def has_key(values: Any, steps: list[str]) -> bool:
    """Whether a table has the key with these steps: `rules[0].match` is rules, 0, match."""
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
    """What is wrong with a value such as `dates = "UTC"`, where `[dates]` must be a table."""
    help = f"write [{name}] and its keys on the lines below it"
    if name == "sitemap" and isinstance(value, tuple):
        help += "; for several sitemaps write [[sitemaps]]"
    return with_help("must be a table", help)


def _explain_list(loc: tuple[int | str, ...], value: Any) -> str:
    """What is wrong with a value such as `lastmod = 3` or `[rules]`, which must be a list."""
    # A single text may stand for a list of texts. So where one is wrong, tables are wanted.
    if isinstance(value, dict | str):
        name = ".".join(map(str, loc))
        return with_help("must be a list of tables", f"write [[{name}]]")
    return with_help("must be a list", "write [] for an empty one")


def _explain_text(loc: tuple[int | str, ...], value: Any) -> str:
    """What is wrong with a value such as `site = 3`, which must be a text, or a date."""
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
    """A value as it stands in TOML: `true` for True, `5` for 5.0, `'a'` for a text."""
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
    """The header of a table: `[dates]` for ["dates"], `[[rules]]` for ["rules", 0]."""
    if len(steps) > 1 and isinstance(steps[1], int):
        return f"[[{steps[0]}]]"
    return f"[{'.'.join(map(str, steps))}]"


def _table_with(key: int | str) -> str:
    """The name of the first table that has a key: `gzip` → `sitemap`; "" if none has."""
    for name, field in Settings.model_fields.items():
        table = field.default
        if isinstance(table, BaseModel) and key in type(table).model_fields:
            return name
    return ""


def _keys_of(steps: Sequence[int | str]) -> list[str]:
    """The valid keys of the table with these steps, as users write them.

    [] is the top of the file, and ["rules", 0] the first `[[rules]]`.
    """
    model: Any = Settings
    for step in steps:
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def table_of(kind: Any) -> type[BaseModel] | None:
    """The model of a key whose type is a table or an array of tables, None for other keys."""
    for member in (kind, *get_args(kind)):
        if isinstance(member, type) and issubclass(member, BaseModel):
            return member
    return None


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """`did you mean 'base_url'?` with the word that is most similar, "" if none is similar."""
    word_by_letters = {_only_letters(text): text for text in words}
    # 0.6 is the default of difflib: `base_ulr` is similar to `base_url`, `name` to none.
    similar = difflib.get_close_matches(_only_letters(word), word_by_letters, n=1, cutoff=0.6)
    if not similar:
        return ""
    return f"did you mean {word_by_letters[similar[0]]!r}?"


def _only_letters(word: str) -> str:
    """A key in lower case, without `_` and `-`: baseURL, base-url and base_url are the same."""
    return re.sub(r"[_-]", "", word).lower()


def key_help(key: str) -> str:
    """The description of a key for --help, with its limits or the values of its list.

    `Which files to compress. …`, `URLs per file. …  [1 to 50,000]`.
    """
    *tables, name = key.split(".")
    model: Any = Settings
    for table in tables:
        model = table_of(model.model_fields[table].annotation)
    field = model.model_fields[name]
    notes = [*_limits(field), *_list_notes(key, field.annotation)]
    if not notes:
        return str(field.description)
    return f"{field.description}  [{'; '.join(notes)}]"


def _limits(field: "FieldInfo") -> Iterator[str]:
    """`0 to 100` for a key whose values have limits, nothing for other keys."""
    limits = []
    for bound in ("ge", "le"):  # pydantic keeps them as annotated_types.Ge(ge=0), Le(le=100)
        for constraint in field.metadata:
            limit = getattr(constraint, bound, None)
            if limit is not None:
                limits.append(format_number(limit))
    if limits:
        yield " to ".join(limits)


def _list_notes(key: str, kind: Any) -> Iterator[str]:
    """The notes for a key that is a list: its values, and that a flag may be repeated.

    `page, published, git, …` and `repeatable` for `lastmod`. Other keys have none.
    """
    if get_origin(kind) is not tuple:
        return
    item_type = get_args(kind)[0]
    words = [word for word in get_args(item_type) if isinstance(word, str)]
    if words:
        yield ", ".join(word for word in words if word != "auto")  # it stands alone
    if key in APPENDED_LISTS:
        yield "adds to the configuration"
    yield "repeatable"


def format_number(value: float) -> str:
    """The number in one format: 50000 → `50,000`, 0.5 → `0.5`.

    Versions of pydantic have a whole limit as 100 or as 100.0: both give `100`.
    """
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
