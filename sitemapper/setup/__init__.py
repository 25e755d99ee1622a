"""Before a run: what a person wrote and what is found become the values that hold for it."""
