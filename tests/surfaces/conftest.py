"""Modules that these tests share, and the starter of jobs of several processes."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent

for folder in (HERE, HERE.parent / "distribute"):
    sys.path.insert(0, str(folder))
