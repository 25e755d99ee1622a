"""Messages about keys:

pydantic's errors with file, line, key and what to do, and the help of a key.
"""

import difflib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..errors import with_help
from ..fs import ancestors
from .layers import COMMAND_LINE, Layer
from .settings import FORMS, Config

_TOOL = "tool"  # the table of pyproject.toml that holds the tables of tools
APPENDED_LISTS = ("ignore", "include")  # lists to which each layer adds; other lists are replaced


def format_errors(error: ValidationError, layers: list[Layer], searched: str | None) -> list[str]:
    """One message for each error, sorted by line.

    `searched` is the folder of a search without result.
    """
    faults = error.errors(include_url=False)
    unknown: dict[tuple[int | str, ...], list[str]] = {}
    for fault in faults:
        if fault["type"] == "extra_forbidden":
            unknown.setdefault(fault["loc"][:-1], []).append(str(fault["loc"][-1]))
    located = []
    for fault in faults:
        *above, name = fault["loc"] or ("",)
        # Implied by another error: a misspelt or misplaced key is missing, a list of bad entries is
        # empty.
        is_implied = fault["type"] == "too_short" and bool(fault["input"])
        if fault["type"] == "missing":
            is_elsewhere = not above and any(
                name in names or _TOOL in names for names in unknown.values()
            )
            is_implied = is_elsewhere or bool(
                did_you_mean(str(name), unknown.get(tuple(above), []))
            )
        located += [] if is_implied else [_placed(dict(fault), layers, searched)]
    return [message for _, message in sorted(located, key=lambda pair: pair[0])]


def _placed(fault: dict[str, Any], layers: list[Layer], searched: str | None) -> tuple[int, str]:
    loc, value = fault["loc"], fault["input"]
    key, message = _key(loc, fault["type"]), sentence(fault)
    if not key:  # the message of a model names the key itself
        key, _, message = message.partition(": ")
    elif fault["type"] == "missing" and key == "base_url":
        reasons = [layer.project.no_base_url for layer in layers if layer.project.no_base_url]
        if searched and not reasons:
            is_in_git = os.path.exists(os.path.join(ancestors(searched)[-1], ".git"))
            where = (
                "or above it" if is_in_git else "(the folders above count only in a git repository)"
            )
            reasons = [f"there is no configuration file in {searched} {where}"]
        has_no_flag = any(
            one.label == COMMAND_LINE and "base_url" not in one.flags for one in layers
        )
        way = (
            "name the URL of the sitemap" if has_no_flag else "pass --base-url https://example.com/"
        )
        problem = ": ".join(["no base URL", *reasons[:1]])
        return 0, with_help(problem, f"{way}, or set base_url in sitemapper.toml")
    item = value if isinstance(value, str) else ""
    steps = re.findall(r"[^.\[\]]+", key)
    setting = [layer for layer in layers if steps and has(layer.values, steps)]
    if key in APPENDED_LISTS:  # only a value that is not a list is wrong
        setting = [layer for layer in setting if not isinstance(layer.values[key], tuple)]
    if item and len(loc) == 2 and loc[0] in APPENDED_LISTS:
        key = str(loc[0])  # layers add to these lists, so the index is of no use
        setting = [layer for layer in layers if item in layer.values.get(key, ())]
    blamed = setting[-1] if setting else next((layer for layer in layers if layer.lines), None)
    if blamed is None:
        return 0, f"settings: {key}: {message}"
    return blamed.line(key, item), f"{blamed.place(key, item)}: {message}"


def _key(loc: tuple[int | str, ...], kind: str) -> str:
    """`rules[0].priority` for ("rules", 0, "priority"). The branches of a union have no name."""
    if kind == "extra_forbidden":  # the last part is the user's own key, whatever it looks like
        name, above = str(loc[-1]), _key(loc[:-1], "")
        name = name if re.fullmatch(r"[\w-]+", name) else json.dumps(name, ensure_ascii=False)
        return f"{above}.{name}" if above else name
    parts: list[str] = []
    for step in loc:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif "[" not in step and not (
            step in ("datetime", "date", "str") and parts[-1:] == [".lastmod"]
        ):
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


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
    kind, value = fault["type"], fault.get("input")
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return with_help("unknown key", _right_key(fault["loc"]))
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type" | "dict_type":
            table = fault["loc"][0]
            sections = table == "sitemap" and isinstance(value, tuple)
            more = "; for several sitemaps write [[sitemaps]]" if sections else ""
            return with_help(
                "must be a table", f"write [{table}] and its keys on the lines below it{more}"
            )
        case "tuple_type" if isinstance(value, dict):
            return with_help(
                "must be a list of tables", f"write [[{'.'.join(map(str, fault['loc']))}]]"
            )
        case "tuple_type":
            remedy = f'write ["{value}"]' if isinstance(value, str) else "write [] for an empty one"
            return with_help("must be a list", remedy)
        case "too_short":
            return "must have at least one entry"
        case "string_pattern_mismatch":
            what, example = FORMS[fault["ctx"]["pattern"]]
            return with_help(f"must be {what}, not {_shown(value)}", f"write for example {example}")
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", fault["msg"])
            hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
            return with_help(f"must be one of {', '.join(allowed)}, not {_shown(value)}", hint)
        case "bool_type":
            return f"must be true or false, not {_shown(value)}"
        case "int_parsing" | "float_parsing":
            return f"must be a number, not {_shown(value)}"
    text = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    return f"{text}, not {_shown(value)}"


def _shown(value: Any) -> str:
    try:
        return repr(int(value) if isinstance(value, float) and value.is_integer() else value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return "a number of thousands of digits"


def _right_key(loc: tuple[int | str, ...]) -> str:
    """A hint for an unknown key: the table where it belongs, or the key that was probably meant."""
    if loc == (_TOOL,):
        return "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"
    if len(loc) > 1 and loc[-1] in Config.model_fields:
        table = f"[[{loc[0]}]]" if isinstance(loc[1], int) else f"[{'.'.join(map(str, loc[:-1]))}]"
        return f"it belongs at the top, above {table}"
    for name, field in Config.model_fields.items():
        table = field.default
        if len(loc) == 1 and isinstance(table, BaseModel) and loc[0] in type(table).model_fields:
            return f"it belongs under [{name}]"
    model: Any = Config
    for step in loc[:-1]:
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    keys = [field.alias or name for name, field in model.model_fields.items()]
    return did_you_mean(str(loc[-1]), keys) or f"valid keys are {', '.join(keys)}"


def table_of(kind: Any) -> type[BaseModel] | None:
    """The model of a key with a table or an array of tables."""
    kinds = (kind, *get_args(kind))
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)


def did_you_mean(word: str, words: list[str]) -> str:
    """`did you mean …?` with the most similar of the words, "" if none is similar."""
    # In lower case, without `_` and `-`: baseURL and base-url are near base_url.
    wanted, *plain = (re.sub(r"[_-]", "", text).lower() for text in (word, *words))
    forms = dict(zip(plain, words, strict=True))
    close = difflib.get_close_matches(wanted, forms, 1, 0.6)
    return f"did you mean {forms[close[0]]!r}?" if close else ""


def key_help(key: str) -> str:
    """The description of a key, with its limits or the values of its list."""
    *tables, name = key.split(".")
    model: Any = Config
    for table in tables:
        model = table_of(model.model_fields[table].annotation)
    field = model.model_fields[name]
    limits = [getattr(limit, end, None) for end in ("ge", "le") for limit in field.metadata]
    ends = [number(limit) for limit in limits if limit is not None]
    notes = [" to ".join(ends)] if ends else []
    if get_origin(field.annotation) is tuple:
        words = [word for word in get_args(get_args(field.annotation)[0]) if isinstance(word, str)]
        notes += [", ".join(word for word in words if word != "auto")] if words else []
        notes += ["adds to the configuration"] if key in APPENDED_LISTS else []
        notes.append("repeatable")
    return f"{field.description}  [{'; '.join(notes)}]" if notes else str(field.description)


def number(value: float) -> str:
    """The number in one format, because versions of pydantic write a whole float as 100 or 100.0."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
