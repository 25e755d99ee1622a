"""Messages about keys:

pydantic's errors with file, line, key and what to do, and the help of a key.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..errors import with_help
from .choices import OWN_SERVERS, SERVER_ADVICE
from .layers import Layer
from .settings import FORMS, Settings

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
    unknown: Mapping[tuple[int | str, ...], Sequence[str]]

    def explain_missing(self, key: str) -> bool:
        """Whether a key at the top is only missing because it is misspelt or in another table."""
        is_elsewhere = any(key in names or _TOOL in names for names in self.unknown.values())
        return is_elsewhere or bool(did_you_mean(key, self.unknown.get((), ())))


def find_faults(error: ValidationError, layers: Sequence[Layer]) -> Faults:
    """One problem for each error of the models, in their order."""
    errors = error.errors(include_url=False)
    unknown: dict[tuple[int | str, ...], list[str]] = {}
    for fault in errors:
        if fault["type"] == "extra_forbidden":
            unknown.setdefault(fault["loc"][:-1], []).append(str(fault["loc"][-1]))
    faults = Faults([], unknown)
    for fault in errors:
        if not _is_implied(fault, faults):
            faults.problems.append(_place_fault(fault, layers))
    return faults


def _is_implied(fault: "ErrorDetails", faults: Faults) -> bool:
    """Whether this error only follows from another one, which is reported anyway.

    A list counts as empty if all of its entries are wrong. A key counts as missing if it is
    misspelt: with `base_ulr`, there is no `base_url`. What is no date in any form is reported as no
    text.
    """
    if fault["type"] in ("datetime_type", "date_type"):
        return True
    if fault["type"] == "too_short":
        return bool(fault["input"])  # the list has entries
    if fault["type"] != "missing":
        return False
    *table, missing_key = fault["loc"]
    unknown_keys = faults.unknown.get(tuple(table), ())
    return bool(did_you_mean(str(missing_key), unknown_keys))


def _place_fault(fault: "ErrorDetails", layers: Sequence[Layer]) -> Problem:
    """The problem of one error of the models, with the place that is to blame."""
    loc = fault["loc"]
    key = _key(loc, fault["type"])
    message = sentence(fault)
    text = fault["input"] if isinstance(fault["input"], str) else ""
    is_entry_of_appended = len(loc) == 2 and loc[0] in APPENDED_LISTS
    if text and is_entry_of_appended:
        # Layers add to these lists, so the entry is found by its text and not by its index.
        name = str(loc[0])
        blamed = [layer for layer in layers if text in layer.values.get(name, ())]
        return _problem(name, text, message, blamed, layers)
    blamed = layers_with(key, layers)
    if key in APPENDED_LISTS:  # only a layer whose value is not a list is wrong
        blamed = [layer for layer in blamed if not isinstance(layer.values[key], tuple)]
    return _problem(key, text, message, blamed, layers)


def place(key: str, message: str, layers: Sequence[Layer]) -> Problem:
    """The problem of a key, with the file and line that set it."""
    return _problem(key, "", message, layers_with(key, layers), layers)


def layers_with(key: str, layers: Sequence[Layer]) -> list[Layer]:
    """The layers that set a key such as `rules[0].priority`, in their order."""
    steps = re.findall(r"[^.\[\]]+", key)
    if not steps:
        return []
    return [layer for layer in layers if has(layer.values, steps)]


def _problem(
    key: str, item: str, message: str, setting: Sequence[Layer], layers: Sequence[Layer]
) -> Problem:
    """A problem of the last layer that sets the key, else of the first file."""
    files = [layer for layer in layers if layer.lines]
    blamed = [*files[:1], *setting]
    if not blamed:
        return Problem(0, f"settings: {key}: {message}")
    layer = blamed[-1]
    return Problem(layer.line(key, item), f"{layer.place(key, item)}: {message}")


def _key(loc: tuple[int | str, ...], kind: str) -> str:
    """`rules[0].priority` for ("rules", 0, "priority"). The branches of a union have no name."""
    if kind == "extra_forbidden":  # the last part is the user's own key, whatever it looks like
        above = _key(loc[:-1], "")
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
    """Whether a step of pydantic's location is no key, but a branch of a union or a validator."""
    return "[" in step or (step in ("datetime", "date", "str") and above.endswith(".lastmod"))


def has(values: Any, steps: list[str]) -> bool:
    """Whether a table has the key with these steps."""
    for step in steps:
        if isinstance(values, Mapping) and step in values:
            values = values[step]
        elif isinstance(values, tuple) and step.isdigit() and int(step) < len(values):
            values = values[int(step)]
        else:
            return False
    return True


def sentence(fault: Mapping[str, Any]) -> str:
    """What is wrong with one value, and what to do about it."""
    value = fault.get("input")
    match fault["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return with_help("unknown key", _right_key(fault["loc"]))
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type" | "dict_type":
            return _no_table(fault["loc"][0], value)
        case "tuple_type":
            return _no_list(fault["loc"], value)
        case "too_short":
            return "must have at least one entry"
        case "string_pattern_mismatch":
            form = FORMS[fault["ctx"]["pattern"]]
            problem = f"must be {form.description}, not {_shown(value)}"
            return with_help(problem, f"write for example {form.example}")
        case "literal_error":
            return _no_choice(fault["msg"], value)
        case "string_type":
            return _no_text(fault["loc"], value)
        case "bool_type":
            return f"must be true or false, not {_shown(value)}"
        case "int_parsing" | "float_parsing":
            return f"must be a number, not {_shown(value)}"
    text = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    return f"{text}, not {_shown(value)}"


def _no_table(name: int | str, value: Any) -> str:
    """What is wrong with a value in the place of a table."""
    help = f"write [{name}] and its keys on the lines below it"
    if name == "sitemap" and isinstance(value, tuple):
        help += "; for several sitemaps write [[sitemaps]]"
    return with_help("must be a table", help)


def _no_list(loc: tuple[int | str, ...], value: Any) -> str:
    """What is wrong with a value in the place of a list."""
    # A text may stand alone for a list of texts, so this one is in the place of tables.
    if isinstance(value, dict | str):
        name = ".".join(map(str, loc))
        return with_help("must be a list of tables", f"write [[{name}]]")
    return with_help("must be a list", "write [] for an empty one")


def _no_text(loc: tuple[int | str, ...], value: Any) -> str:
    """What is wrong with a value in the place of a text or a date."""
    if "lastmod" in loc[-2:]:
        return with_help(f"must be a date, not {_shown(value)}", "write it as 2026-03-01")
    if isinstance(value, tuple):
        return with_help("must be one text, not a list", "leave out the brackets")
    return with_help(f"must be a text, not {_shown(value)}", "put it in quotes")


def _no_choice(message: str, value: Any) -> str:
    """What is wrong with a value that is none of those in pydantic's message."""
    allowed = re.findall(r"'([^']*)'", message)
    help = did_you_mean(value, allowed) if isinstance(value, str) else ""
    if value in OWN_SERVERS:  # only `host` has ever had these names
        help = SERVER_ADVICE
    if isinstance(value, str) and "," in value:
        words = [word.strip() for word in value.split(",")]
        if set(words) <= set(allowed):
            help = f"write a list: {json.dumps(words)}"
    if isinstance(value, bool):
        # People expect a switch. The first choice of our settings is the one that turns it off.
        choice = allowed[1] if value else allowed[0]
        help = f'write "{choice}", with the quotes'
    return with_help(f"must be one of {', '.join(allowed)}, not {_shown(value)}", help)


def _shown(value: Any) -> str:
    """A value as it stands in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return repr(value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return "a number of thousands of digits"


def _right_key(loc: tuple[int | str, ...]) -> str:
    """A hint for an unknown key: the table where it belongs, or the key that was probably meant."""
    if loc == (_TOOL,):
        return "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"
    *above, name = loc
    if above and name in Settings.model_fields:
        return f"it belongs at the top, above {_header(above)}"
    if not above:
        table = _table_with(name)
        if table:
            return f"it belongs under [{table}]"
    keys = _keys_of(above)
    return did_you_mean(str(name), keys) or f"valid keys are {', '.join(keys)}"


def _header(steps: Sequence[int | str]) -> str:
    """The header of a table: `[dates]` for ["dates"], `[[rules]]` for ["rules", 0]."""
    if len(steps) > 1 and isinstance(steps[1], int):
        return f"[[{steps[0]}]]"
    return f"[{'.'.join(map(str, steps))}]"


def _table_with(key: int | str) -> str:
    """The first table that has a key, "" if none has."""
    for name, field in Settings.model_fields.items():
        table = field.default
        if isinstance(table, BaseModel) and key in type(table).model_fields:
            return name
    return ""


def _keys_of(steps: Sequence[int | str]) -> list[str]:
    """The valid keys of a table, as users write them."""
    model: Any = Settings
    for step in steps:
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def table_of(kind: Any) -> type[BaseModel] | None:
    """The model of a key with a table or an array of tables."""
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """`did you mean …?` with the most similar of the words, "" if none is similar."""
    forms = {_plain(text): text for text in words}
    close = difflib.get_close_matches(_plain(word), forms, n=1, cutoff=0.6)
    if not close:
        return ""
    return f"did you mean {forms[close[0]]!r}?"


def _plain(word: str) -> str:
    """A key in lower case, without `_` and `-`: baseURL and base-url are near base_url."""
    return re.sub(r"[_-]", "", word).lower()


def key_help(key: str) -> str:
    """The description of a key, with its limits or the values of its list."""
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
                limits.append(number(limit))
    if limits:
        yield " to ".join(limits)


def _list_notes(key: str, kind: Any) -> Iterator[str]:
    """What to know about a key that is a list: its values, and how it is set."""
    if get_origin(kind) is not tuple:
        return
    item = get_args(kind)[0]
    words = [word for word in get_args(item) if isinstance(word, str)]
    if words:
        yield ", ".join(word for word in words if word != "auto")
    if key in APPENDED_LISTS:
        yield "adds to the configuration"
    yield "repeatable"


def number(value: float) -> str:
    """The number in one format. Versions of pydantic write a whole float as 100 or 100.0."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
