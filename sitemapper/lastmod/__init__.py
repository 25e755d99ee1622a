"""One page to a date: the sources, and their order."""
