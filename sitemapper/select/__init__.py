"""From a page to its verdict: listed with its values, or excluded with a reason."""
