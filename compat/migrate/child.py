"""The main module of a child process that a legacy script started by multiprocessing.

Such a child is a new interpreter that loads its parent's main module under another name;
this module stands in for it and runs the script's top level as the parent did.
"""

from compat.migrate.script import Script

if __name__ == "__mp_main__":
    Script.of_parent().execute(globals())
