"""From entries to files: formats, shards, what was published before, and the only writer."""
