"""From a page to its date: the sources, and their order."""
