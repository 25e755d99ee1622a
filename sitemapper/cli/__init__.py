"""The command line: the commands, their flags, and all formats of output."""
