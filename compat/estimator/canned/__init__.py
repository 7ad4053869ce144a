"""Ready-made estimators on feature columns: linear, deep, and wide and deep."""
