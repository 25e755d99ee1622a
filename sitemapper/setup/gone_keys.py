"""Keys of earlier releases that have no effect any more. They are worth a warning, not an error."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..config.layers import Layer
from ..model import Diagnostic, WarningKind


def warn_of_gone_keys(layers: Iterable[Layer]) -> Iterator[Diagnostic]:
    """A warning for each layer that sets `[dates] guard`."""
    for layer in layers:
        dates = layer.values.get("dates")
        if not isinstance(dates, dict) or "guard" not in dates:
            continue
        about = f"{layer.place('dates.guard')}"
        if dates["guard"] == "warn":
            about += ': to take the times of files as they are, write lastmod = ["mtime"]'
        yield Diagnostic(WarningKind.GONE, about)


def without_gone_keys(layer: Layer) -> Layer:
    """A layer without the keys that have no effect."""
    dates = layer.values.get("dates")
    if not isinstance(dates, dict) or "guard" not in dates:
        return layer
    remaining: dict[str, Any] = {key: value for key, value in dates.items() if key != "guard"}
    return layer._replace(values=layer.values | {"dates": remaining})
