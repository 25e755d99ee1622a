"""The surroundings of the pages: the URL style, the generator and its settings."""
