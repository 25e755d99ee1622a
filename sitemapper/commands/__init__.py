"""The commands, a page each."""
