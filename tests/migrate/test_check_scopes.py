"""What a name leads to, for the ways in which Python binds names."""

import libcst as cst
import pytest

from compat.migrate.source.scopes import Names


def paths_of(source, use):
    """The paths of the last use of a name or chain in a source."""
    module = cst.parse_module(source)
    names = Names(module)
    found = [chain for chain in names.chains if module.code_for_node(chain.node) == use]
    assert found, use
    return names.resolve(found[-1])


@pytest.mark.parametrize(
    "source, use, paths",
    [
        ("import a.b\na.c\n", "a.c", ["a.c"]),
        ("import a.b as d\nd.c\n", "d.c", ["a.b.c"]),
        ("from a import b as d\nd.c\n", "d.c", ["a.b.c"]),
        ("from . import b\nb.c\n", "b.c", [".b.c"]),
        ("from ..a import b\nb\n", "b", ["..a.b"]),
        ("import a\nb = a.x\nb.y\n", "b.y", ["a.x.y"]),
        ("import a\nb = c = a.x\nc.y\n", "c.y", ["a.x.y"]),
        ("import a\nb, c = a.x, a.y\nc\n", "c", ["a.y"]),
        ("import a\nb: int = a.x\nb\n", "b", ["a.x"]),
        ("import a, d\nb = a if a else d\nb.x\n", "b.x", ["a.x", "d.x"]),
        ("import a\na = a.b\na.c\n", "a.c", ["a.b.c"]),
        ("try:\n    import a.b as x\nexcept E:\n    import c as x\nx.y\n", "x.y", ["a.b.y", "c.y"]),
        ("import a\nif t:\n    a = None\na.c\n", "a.c", ["a.c"]),
        ("import a\nif t:\n    import b as a\na.c\n", "a.c", ["a.c", "b.c"]),
        ("import a\na = f()\na.c\n", "a.c", []),
        ("import a\ndef f():\n    a.c\n", "a.c", ["a.c"]),
        ("import a\ndef f(a):\n    a.c\n", "a.c", []),
        ("import a\ndef f(x=a.c):\n    pass\n", "a.c", ["a.c"]),
        ("def f():\n    a.c\nimport a\n", "a.c", ["a.c"]),
        ("import a\ndef f():\n    a.c\na = a.b\n", "a.c", ["a.c", "a.b.c"]),
        ("def f():\n    global a\n    import a\ndef g():\n    a.c\n", "a.c", ["a.c"]),
        ("def f():\n    import a\n    def g():\n        nonlocal a\n        a.c\n", "a.c", ["a.c"]),
        ("import a\nlambda a: a.c\n", "a.c", []),
        ("import a\nlambda x: a.c\n", "a.c", ["a.c"]),
        ("import a\n[a.c for a in y]\n", "a.c", []),
        ("import a\n[x for x in a.c]\n", "a.c", ["a.c"]),
        ("import a\n{a.c: 1 for x in y if x}\n", "a.c", ["a.c"]),
        ("class A:\n    import a\n    b = a.c\n", "a.c", ["a.c"]),
        ("class A:\n    import a\n    def f(self):\n        a.c\n", "a.c", []),
        ("import a\nfor a in x:\n    a.c\n", "a.c", ["a.c"]),
        ("import a\nwith x as a:\n    a.c\n", "a.c", []),
        ("import a\n(b := a.x)\nb.y\n", "b.y", ["a.x.y"]),
        ("import a\n[(b := a.x) for _ in y]\nb.y\n", "b.y", ["a.x.y"]),
        ("class A:\n    pass\nA.b\n", "A.b", ["@.A.b"]),
        ("def f():\n    class A:\n        pass\n    A\n", "A", ["@.f.A"]),
        ("a = b\nb = a\na.c\n", "a.c", []),
        ("import a\ngetattr(a.b, 'c')\n", "getattr(a.b, 'c')", ["a.b.c"]),
        ("import a\nb = getattr(a, 'c')\nb.d\n", "b.d", ["a.c.d"]),
        ("import a\nb = getattr(a, c)\nb.d\n", "b.d", []),
        ("a = importlib.import_module('x.y')\na.b\n", "a.b", ["x.y.b"]),
        ("a = __import__('x')\na.b\n", "a.b", ["x.b"]),
        ("from a import *\nb.c\n", "b.c", ["a.*.b.c"]),
        ("from a import *\nb = 1\nb\n", "b", []),
        ("import a\nmatch x:\n    case {'k': a}:\n        a.c\n", "a.c", ["a.c"]),
        ("import a\nf'{a.b}'\n", "a.b", ["a.b"]),
        ("import a\ndel a\n", "a", None),
        ("import a\n@a.b\ndef f(): pass\n", "a.b", ["a.b"]),
        ("import a\nclass C(a.B): pass\n", "a.B", ["a.B"]),
        ("import a\ndef f(x: a.b) -> a.c: pass\n", "a.c", ["a.c"]),
        ("import a\na.b[0].c\n", "a.b", ["a.b"]),
        ("import a\na.b().c\n", "a.b", ["a.b"]),
    ],
)
def test_resolve(source, use, paths):
    if paths is None:
        assert not [c for c in Names(cst.parse_module(source)).chains if c.root.value == use]
    else:
        assert paths_of(source, use) == tuple(paths)


def test_names_of_attributes_keywords_and_strings_are_no_uses():
    names = Names(cst.parse_module("import tf\nx.tf(tf=1)\n'tf'\n"))
    assert [chain.root.value for chain in names.chains] == ["x"]


def test_exports_list_what_a_module_hands_on():
    names = Names(cst.parse_module("import a as b\nfrom c import d\nx = b.y\nz = 1\n"))
    assert names.exports() == {"b": ("a",), "d": ("c.d",), "x": ("a.y",)}
