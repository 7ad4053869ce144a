"""Random programs that use session-run hooks, run on two back ends and compared."""
