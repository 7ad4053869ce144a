"""The code base's own helper."""


def as_text(value):
    return str(value)
