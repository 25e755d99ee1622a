"""One page to a verdict: listed with its values, or excluded with a reason."""
