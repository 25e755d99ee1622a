"""The stages that commands share, in their order, from the walk to the spool."""
