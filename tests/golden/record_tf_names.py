"""Records the public names of the installed TensorFlow, one a line.

Run it by hand, with the TensorFlow whose names are wanted; the tables of
`compat check` and `compat upgrade` rest on what it writes:

    python tests/golden/record_tf_names.py      # under TensorFlow 1.15.5
    python tests/golden/record_tf_names.py      # then under TensorFlow 2.x

Under 1.x it writes `tf1_names.txt` (public names), `tf1_private.txt` (which
public name a path under `tensorflow.python` stands for), `private_kept.txt` (the paths
without one) and, for the tests, `tf1_contrib_names.txt`. Under 2.x it writes
`v1_added_names.txt` (what `tf.compat.v1` got since), `tf2_names.txt` (names of the 2.x
API that neither has) and `tf1_only_names.txt` (the reverse), and strikes from
`private_kept.txt` what is gone. It must run under Python 3.7.
"""

import importlib
import inspect
import os
import sys
import types

import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "compat", "migrate", "data")

# Python packages that TF 1.15 shows as attributes of `tf` without making them API.
NOT_API = {"contrib", "core", "python", "tools", "compiler", "examples", "pywrap_tensorflow"}
# Private modules whose constants (plain numbers, the flags) are API under another name.
MIRRORS = {
    "tensorflow.python.framework.errors": "errors",
    "tensorflow.python.framework.errors_impl": "errors",
    "tensorflow.python.platform.flags": "flags",
    "tensorflow.python.platform.tf_logging": "logging",
}
# Modules of helper code that leak into public namespaces by being imported there.
LEAKED = {"tf_decorator", "tf_stack", "tf_inspect", "tf_export", "mock"}
# Private modules whose re-exports people import from, beside the modules that define a name.
UMBRELLAS = (
    "tensorflow.python.client",
    "tensorflow.python.data",
    "tensorflow.python.feature_column",
    "tensorflow.python.framework",
    "tensorflow.python.layers",
    "tensorflow.python.lib",
    "tensorflow.python.ops.losses",
    "tensorflow.python.platform",
    "tensorflow.python.profiler",
    "tensorflow.python.pywrap_tensorflow",
    "tensorflow.python.saved_model",
    "tensorflow.python.summary",
    "tensorflow.python.training",
    "tensorflow.python.util.nest",
    "tensorflow_estimator.python.estimator",
)
UMBRELLA_OPS = {
    "array_ops", "check_ops", "clip_ops", "control_flow_ops", "data_flow_ops", "embedding_ops",
    "gradients", "gradients_impl", "image_ops", "init_ops", "io_ops", "linalg_ops", "logging_ops",
    "lookup_ops", "math_ops", "metrics", "nn", "nn_impl", "nn_ops", "parsing_ops", "random_ops",
    "resource_variable_ops", "rnn", "rnn_cell", "rnn_cell_impl", "script_ops", "sparse_ops",
    "standard_ops", "state_ops", "string_ops", "summary_ops", "tensor_array_ops",
    "variable_scope", "variables",
}  # fmt: skip


def is_future(value):
    return type(value).__name__ == "_Feature"


def is_api(module_name):
    """Whether a module is a namespace of the API and not a helper that leaked into one."""
    generated = "_api" in module_name or ".api." in module_name
    return generated or module_name.startswith("keras.") or module_name.endswith("platform.flags")


def walk(module, prefix, seen, names):
    """Adds `prefix.name` for every public name below `module`."""
    for name in sorted(dir(module)):
        if name.startswith("_") or name in LEAKED:
            continue
        try:
            value = getattr(module, name)
        except Exception:  # a lazy name that its package cannot load
            continue
        if is_future(value):
            continue
        if not isinstance(value, types.ModuleType):
            names[prefix + name] = value
            continue
        try:
            origin = value.__name__
        except AttributeError:  # Keras' own stand-in for a module that it refuses to load
            continue
        top = not prefix
        if top and name in NOT_API:
            continue
        if prefix == "compat." and name in ("v1", "v2"):
            continue
        if not is_api(origin) or value in seen:
            continue
        walk(value, prefix + name + ".", seen + [value], names)


def write(folder, name, lines, what):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(f"# {what}\n# TensorFlow {tf.__version__}\n")
        out.writelines(line + "\n" for line in lines)
    print(f"{name}: {len(lines)} lines")


def public_module(name):
    return name.replace("tensorflow_core.", "tensorflow.", 1)


def private_paths(names):
    """Maps each private module to {its name: the shortest public name of the object}."""
    public = {}
    for name, value in names.items():
        if name.startswith("raw_ops."):
            continue
        if inspect.isclass(value) or callable(value) or isinstance(value, tf.DType):
            public.setdefault(id(value), []).append(name)
    best = {key: min(v, key=lambda n: (n.count("."), len(n), n)) for key, v in public.items()}
    table = {}
    for module_name, module in sorted(sys.modules.items()):
        path = public_module(module_name)
        if module is None or not path.startswith(
            ("tensorflow.python.", "tensorflow_estimator.python.")
        ):
            continue
        if ".keras." in path or ".api." in path or ".gen_" in path:
            continue
        for name, value in sorted(vars(module).items()):
            if name.startswith("_") or id(value) not in best:
                continue
            defined = public_module(getattr(value, "__module__", None) or "") == path
            umbrella = path.startswith(UMBRELLAS) or path.rpartition(".")[2] in UMBRELLA_OPS
            if defined or umbrella or isinstance(value, tf.DType):
                table.setdefault(path, {})[name] = best[id(value)]
    for module_name, module in sorted(sys.modules.items()):
        namespace = MIRRORS.get(public_module(module_name))
        for name in names if module is not None and namespace else ():
            outer, _, leaf = name.rpartition(".")
            if outer == namespace and leaf in vars(module):
                table.setdefault(public_module(module_name), {}).setdefault(leaf, name)
    return table


def private_only(public):
    """Maps each private module to its own classes and functions that have no public name."""
    table = {}
    for module_name, module in sorted(sys.modules.items()):
        path = public_module(module_name)
        if module is None or not path.startswith("tensorflow.python."):
            continue
        if ".keras." in path or ".api." in path or ".gen_" in path:
            continue
        for name, value in sorted(vars(module).items()):
            own = public_module(getattr(value, "__module__", None) or "") == path
            plain = inspect.isclass(value) or inspect.isfunction(value)
            if own and plain and name[0] != "_" and name not in public.get(path, {}):
                table.setdefault(path, []).append(name)
    return table


def still_there(table):
    """The part of such a table that the installed TensorFlow still has."""
    kept = {}
    for path, names in table.items():
        try:
            module = importlib.import_module(path)
            found = [name for name in names if hasattr(module, name)]
        except Exception:  # the module is gone or cannot be loaded
            continue
        if found:
            kept[path] = found
    return kept


def write_modules(name, table):
    lines = [line for path in sorted(table) for line in ("[" + path + "]", *table[path])]
    what = "[private module], then the names in it that have no public name and still exist"
    write(DATA, name, lines, what)


def read_modules(name):
    table = {}
    with open(os.path.join(DATA, name)) as lines:
        for line in lines:
            line = line.strip()
            if line.startswith("["):
                names = table.setdefault(line[1:-1], [])
            elif line and not line.startswith("#"):
                names.append(line)
    return table


def record_tf1():
    names = {}
    walk(tf, "", [tf], names)
    write(DATA, "tf1_names.txt", sorted(names), "Public names, without the leading `tf.`")

    lines = []
    for module, found in sorted(private_paths(names).items()):
        lines.append(f"[{module}]")
        for name, public in sorted(found.items()):
            same = public.rpartition(".")[2] == name
            lines.append(public if same else f"{name}={public}")
    what = "[private module], then the public names it holds (`name=public` where they differ)"
    write(DATA, "tf1_private.txt", lines, what)
    write_modules("private_kept.txt", private_only(private_paths(names)))

    found = contrib_names()
    write(HERE, "tf1_contrib_names.txt", sorted(found), "Names below tf.contrib")


# Packages of tf.contrib whose modules, and not only their own names, are written out in scripts.
CONTRIB_DEEP = ("slim.learning", "slim.evaluation", "learn.monitors", "compiler.jit", "rnn.ops")
# Large helper packages that no training script names.
CONTRIB_SKIPPED = {
    "quantization",
    "specs",
    "tensor_forest",
    "labeled_tensor",
    "solvers",
    "grid_rnn",
}


def contrib_names():
    """Lists `contrib.package` and `contrib.package.name` for what scripts can reach."""
    import pkgutil

    import tensorflow.contrib as contrib

    packages = {info.name for info in pkgutil.iter_modules(contrib.__path__)} | set(dir(contrib))
    names = set()
    for package in sorted(packages - CONTRIB_SKIPPED) + list(CONTRIB_DEEP):
        if package.startswith("_"):
            continue
        try:
            outer, _, inner = package.partition(".")
            module = getattr(contrib, outer, None)
            if module is None:
                module = importlib.import_module("tensorflow.contrib." + outer)
            if inner:
                module = getattr(module, inner, None)
                if module is None:
                    module = importlib.import_module("tensorflow.contrib." + package)
        except Exception:  # needs a library that is not there
            continue
        names.add("contrib." + package)
        for name in dir(module):
            value = getattr(module, name, None)
            if not name.startswith("_") and not is_future(value):
                names.add(f"contrib.{package}.{name}")
    return names


def record_tf2():
    with open(os.path.join(DATA, "tf1_names.txt")) as lines:
        known = {line.strip() for line in lines}
    names = {}
    walk(tf, "", [tf], names)
    added = {}
    walk(tf.compat.v1, "", [tf.compat.v1], added)
    # compat.v1 has Keras 2 under tf.keras, not the Keras 3 that TensorFlow shows there.
    added = {name: value for name, value in added.items() if not name.startswith("keras.")}
    keras = importlib.import_module("tf_keras.api._v1.keras")
    walk(keras, "keras.", [keras], added)
    added = sorted(name for name in added if name not in known)
    write(DATA, "v1_added_names.txt", added, "Public names that tf.compat.v1 got after 1.15")
    new = sorted(name for name in names if name not in known and name not in added)
    write(DATA, "tf2_names.txt", new, "Public names that only the 2.x API has")
    gone = sorted(name for name in known if name not in names and name[:1] not in ("", "#"))
    write_modules("private_kept.txt", still_there(read_modules("private_kept.txt")))
    write(DATA, "tf1_only_names.txt", gone, "Public names of 1.15 that the 2.x API does not have")


if __name__ == "__main__":
    record_tf1() if tf.__version__.startswith("1.") else record_tf2()
