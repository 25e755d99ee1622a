"""TOML, environment and flags to frozen settings, or to a list of all errors."""
