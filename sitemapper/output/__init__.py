"""From entries to files: formats, shards, the published files, and the only writer."""
