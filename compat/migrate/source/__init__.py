"""Reads Python sources: which names they import, what each use of a name leads to.

`files` finds them, `reading` parses them, `notebook` turns notebooks into sources and back,
`scopes` follows names, `positions` gives line numbers, `ignores` reads the comments that
silence a rule, `project` knows the modules of a code base.
"""
