"""The command line: the commands, their flags, and all forms of output."""
