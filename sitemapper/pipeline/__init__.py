"""What the commands share: the stages in their order, from the walk to the spool."""
