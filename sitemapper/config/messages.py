"""What pydantic finds wrong, as sentences for a person: file, line, key, message, what was probably meant."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from sitemapper.config.layers import Layer, nearest, table_of, upwards
from sitemapper.config.settings import FORMS, Config

ADDED_UP = ("ignore", "include")  # lists that grow from layer to layer, where others are replaced


def sentences(error: ValidationError, layers: list[Layer]) -> list[str]:
    """One finished line a fault, in the order in which the faults stand in the file."""
    found: list[tuple[int, str]] = []
    faults = error.errors(include_url=False)
    unknown = [str(fault["loc"][-1]) for fault in faults if fault["type"] == "extra_forbidden"]
    for fault in faults:
        if fault["type"] == "missing" and difflib.get_close_matches(str(fault["loc"][-1]), unknown, 1, 0.6):
            continue  # the misspelt key is told already
        key, message = _key(fault["loc"], fault["type"]), _message(dict(fault))
        if not key:  # a fault of several keys together names the first itself
            key, _, message = message.partition(": ")
        elif fault["type"] == "missing" and key == "base_url":
            message = "is missing; pass --base-url https://example.com/ or set it in sitemapper.toml"
            message += "" if layers[0].is_file else _not_found(layers[0].base)
        layer = _layer_of(key, layers)
        line = layer.line(key) if layer else 0
        found.append((line, f"{layer.where(key) if layer else 'settings'}: {key}: {message}"))
    return [sentence for _, sentence in sorted(found, key=lambda pair: pair[0])]


def _not_found(cwd: str) -> str:
    if os.path.exists(os.path.join(upwards(cwd)[-1], ".git")):
        return f" (none was found from {cwd} upwards)"
    return f" (none is in {cwd}; outside a git repository no folder above is searched)"


def _key(loc: tuple[int | str, ...], kind: str) -> str:
    """`rules[0].priority` of ("rules", 0, "priority"); the branches of a union have no name."""
    if kind == "extra_forbidden":  # the last is the user's own, whatever it looks like
        name, above = str(loc[-1]), _key(loc[:-1], "")
        name = name if re.fullmatch(r"[\w-]+", name) else json.dumps(name, ensure_ascii=False)
        return f"{above}.{name}" if above else name
    parts: list[str] = []
    for step in loc:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif "[" not in step and not (step in ("datetime", "date", "str") and parts[-1:] == [".lastmod"]):
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


def _layer_of(key: str, layers: list[Layer]) -> Layer | None:
    """The last layer that sets the key; the file, if any, for what no layer sets."""
    steps = re.findall(r"[^.\[\]]+", key)
    setting = [layer for layer in layers if steps and _has(layer.values, steps)]
    if key in ADDED_UP:  # the lists are fine, what is none is the fault
        setting = [layer for layer in setting if not isinstance(layer.values[key], tuple)]
    files = [layer for layer in layers if layer.is_file]
    return setting[-1] if setting else files[0] if files else None


def _has(values: Any, steps: list[str]) -> bool:
    for step in steps:
        if isinstance(values, Mapping) and step in values:
            values = values[step]
        elif isinstance(values, tuple) and step.isdigit() and int(step) < len(values):
            values = values[int(step)]
        else:
            return False
    return True


def _message(fault: dict[str, Any]) -> str:
    kind, given = fault["type"], fault.get("input")
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            keys = _valid_keys(fault["loc"])
            hint = nearest(str(fault["loc"][-1]), keys) or _elsewhere(fault["loc"])
            return f"unknown key{hint or '; valid are ' + ', '.join(keys)}"
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type":
            table = fault["loc"][0]
            sections = table == "sitemap" and isinstance(given, tuple)
            more = "; several are written [[sitemaps]]" if sections else ""
            return f"must be a table: write [{table}] and its keys on lines of their own{more}"
        case "tuple_type" if isinstance(given, str):
            return f'must be a list, such as ["{given}"]'
        case "tuple_type" if isinstance(given, dict):
            return f"must be a list of tables: write [[{'.'.join(map(str, fault['loc']))}]]"
        case "tuple_type":
            return "must be a list; [] is an empty one"
        case "too_short":
            return "must have at least one entry"
        case "string_pattern_mismatch":
            return f"must be {FORMS[fault['ctx']['pattern']]}, not {_shown(given)}"
        case "greater_than_equal" | "less_than_equal" if isinstance(given, (int, float, str)):
            return f"{fault['msg'].replace('Input should be', 'must be')}, not {_shown(given)}"
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", fault["msg"])
            hint = nearest(given, allowed) if isinstance(given, str) else ""
            return f"must be one of {', '.join(allowed)}, not {_shown(given)}{hint}"
    said = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    return f"{said}, not {_shown(given)}"


def _shown(given: Any) -> str:
    try:
        return repr(given)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"


def _valid_keys(loc: tuple[int | str, ...]) -> list[str]:
    model: Any = Config
    for step in loc[:-1]:
        if isinstance(step, str) and step in model.model_fields:
            model = table_of(model.model_fields[step].annotation) or model
    return list(model.model_fields)


def _elsewhere(loc: tuple[int | str, ...]) -> str:
    """A hint for a key that stands at the top and belongs into a table."""
    for name, field in Config.model_fields.items():
        table = field.default
        if len(loc) == 1 and isinstance(table, BaseModel) and loc[0] in type(table).model_fields:
            return f"; it belongs under [{name}]"
    return ""
