"""`upgraded(text)`: the text after an upgrade; `left(text)`: what was left to a person."""

import textwrap
from pathlib import Path

import pytest

from compat.migrate.source.reading import Source
from compat.migrate.upgrade.engine import upgrade_source


def outcome(text, mode, name="script.py", **options):
    # A path in a folder without a module named compat.
    source = Source(Path("/nowhere") / name, textwrap.dedent(text).encode())
    return upgrade_source(source, mode, **options)


@pytest.fixture
def upgraded():
    def upgrade(text, mode="dropin", **options):
        """The text after an upgrade, which a second one does not change."""
        new = outcome(text, mode, **options).new.decode()
        compile(new.removeprefix("\ufeff"), "script.py", "exec")
        assert outcome(new, mode, **options).new.decode() == new, "a second run changes it again"
        return new

    return upgrade


@pytest.fixture
def left():
    def remarks(text, mode="dropin", **options):
        """(line, code) of what an upgrade leaves to a person."""
        return [(line.line, line.code) for line in outcome(text, mode, **options).left]

    return remarks


@pytest.fixture
def left_texts():
    def texts(text, mode="dropin"):
        return [line.text for line in outcome(text, mode).left]

    return texts
