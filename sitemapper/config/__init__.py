"""TOML, environment and flags to frozen settings, or to every error at once."""
