"""Small models and a hook that notes what it is called with."""

import keras

import compat

ROWS, COLUMNS, BATCH = 32, 3, 4


def two_layers(optimizer=None, package=keras, **compiled):
    """A small functional model, the same weights each time."""
    layers = package.layers
    init = package.initializers
    inputs = package.Input((COLUMNS,), name="features")
    hidden = layers.Dense(4, "tanh", name="h", kernel_initializer=init.GlorotUniform(seed=1))
    top = layers.Dense(1, name="top", kernel_initializer=init.GlorotUniform(seed=2))
    model = package.Model(inputs, top(hidden(inputs)), name="net")
    compiled.setdefault("loss", "mse")
    model.compile(optimizer or package.optimizers.SGD(0.05), **compiled)
    return model


class Note(compat.SessionRunHook):
    """Fetches something at each run and keeps what it gets, and the calls."""

    def __init__(self, fetches=None, feeds=None):
        self.fetches, self.feeds = fetches, feeds
        self.calls, self.values = [], []

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        self.calls.append("after_create_session")

    def before_run(self, run_context):
        self.calls.append("before_run")
        fetches = self.fetches() if callable(self.fetches) else self.fetches
        return compat.SessionRunArgs(fetches, self.feeds and self.feeds())

    def after_run(self, run_context, run_values):
        self.calls.append("after_run")
        self.values.append(run_values.results)

    def end(self, session):
        self.calls.append("end")


def calls_of(steps):
    """What a hook is called with over so many steps that end well."""
    return ["begin", "after_create_session", *["before_run", "after_run"] * steps, "end"]


def quiet(model, x, y=None, **arguments):
    """`fit` of one epoch in order, without output."""
    given = dict(batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    if y is None:
        del given["batch_size"]
    return model.fit(x, y, **{**given, **arguments})
