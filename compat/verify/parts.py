"""What a run can consist of."""

#: In the order in which the parts are compared.
PARTS = ("checkpoints", "events", "logs", "timelines")
