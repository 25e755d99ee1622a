"""One page to a date: the sources, and the order in which they are asked."""
