"""Language tags."""

from __future__ import annotations

import re

# The shape of BCP 47: de, zh-Hans, es-419, de-DE-1996; and x-default.
LANGUAGE = re.compile(r"x-default|[a-z]{2,8}(-[a-z0-9]{1,8})*", re.IGNORECASE)
