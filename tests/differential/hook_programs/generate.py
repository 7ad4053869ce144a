"""Random programs: a seed gives the same program everywhere."""

from __future__ import annotations

import random

from . import feeds as feed_specs
from . import graphs
from .errors import KINDS, PREEMPTIONS
from .execute import ODD_STEP_FUNCTIONS
from .program import Hook, Phase, Program
from .scaffolds import SCAFFOLD_OPTIONS
from .structures import random_fetches

_CALLBACKS = ["begin", "after_create_session", "before_run", "after_run", "end"]

#: What may go wrong in a program, and how often programs of that mood are made.
_MOODS = {
    "smooth": 40,
    "stopping": 12,
    "raising": 22,
    "wrong elements": 10,
    "out of range": 10,
    "odd": 6,
}


def generate(seed, surfaces=("singular",)):
    """Makes the program of a seed.

    Args:
      seed: An integer.
      surfaces: The session classes to choose from; "monitored" and "training" programs
        are also tried with the errors they recover from.

    Returns:
      A `program.Program`.
    """
    return _Generator(seed, surfaces).program()


class _Generator:
    def __init__(self, seed, surfaces):
        self.seed = seed
        self.rng = random.Random(f"hook program {seed}")
        self.surfaces = surfaces
        self.preemptions = 2

    def chance(self, probability):
        return self.rng.random() < probability

    def program(self):
        rng = self.rng
        self.mood = rng.choices(list(_MOODS), list(_MOODS.values()))[0]
        self.graph = self._graph()
        costly = set()
        if self.mood == "out of range" or self.chance(0.3):
            costly |= graphs.INPUT
        if self.mood == "wrong elements":
            costly |= rng.choice(graphs.UNFED)
        self.wrong = 0.25 if self.mood == "wrong elements" else 0.0
        self.leaves = graphs.leaves(self.graph, costly)
        if self.mood == "wrong elements":
            self.leaves = [leaf for leaf in self.leaves if leaf[0] not in graphs.STATEFUL_LEAVES]
        self.feedables = graphs.feedables(self.graph)
        self.surface = rng.choice(list(self.surfaces))
        count = 2 if self.chance(0.3) else 1
        self.saved = "model" if count == 2 or self.chance(0.4) else None
        phases = [self._phase(number, count) for number in range(count)]
        seconds = rng.choice([0.5, 1.0, 1.0, 7.5, 700.0])
        if not self._counts_steps(phases):
            seconds = rng.choice([0.0, seconds, seconds])
        return Program(self.seed, self.graph, phases, seconds)

    def _counts_steps(self, phases):
        return any(
            phase.surface == "training"
            or any(hook.kind == "StepCounterHook" for hook in phase.hooks)
            for phase in phases
        )

    def _graph(self):
        rng = self.rng
        parts = [part for part in graphs.PARTS if self.chance(0.25)]
        inputs = ["one_shot", "initializable", "queue"]
        chosen = rng.choice(inputs)
        if self.mood == "out of range" or set(parts) & set(inputs):
            parts = [
                part for part in graphs.PARTS if part == chosen or part in set(parts) - set(inputs)
            ]
        if self.mood == "wrong elements":
            parts = [part for part in parts if part not in graphs.STATEFUL_PARTS]
        variables = rng.choice(["reference", "resource"])
        if variables == "resource" and "computed_step" in parts and self.chance(0.5):
            parts.remove("computed_step")
        return graphs.GraphSpec(variables, parts, rng.randint(2, 6), rng.choice([1, 1, 2]))

    def fetches(self, leaves=None, depth=2, wrong=None):
        return random_fetches(
            self.rng, leaves or self.leaves, depth, self.wrong if wrong is None else wrong
        )

    def feeds(self, most=2, among=None):
        if not self.chance(0.35):
            return []
        feedables = among or self.feedables
        return feed_specs.random_feeds(
            self.rng, feedables, self.rng.randint(1, most), self.wrong * 0.7
        )

    def error(self):
        kinds = KINDS
        if self.surface != "singular" and self.chance(0.5):
            kinds = PREEMPTIONS
        kind = self.rng.choice(kinds)
        if kind in PREEMPTIONS:
            if self.preemptions == 0:
                return "ValueError"
            self.preemptions -= 1
        return kind

    # Phases.

    def _phase(self, number, count):
        rng = self.rng
        phase = Phase(surface=self.surface)
        self.own = []
        phase.hooks = [self._hook(index) for index in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
        if number < count - 1 and not any(h.kind == "CheckpointSaverHook" for h in phase.hooks):
            phase.hooks.append(self._checkpoint_saver())
        if self.surface == "training":
            phase.chief_only_hooks = [
                self._random_hook("chief") for _ in range(rng.choice([0, 0, 1]))
            ]
        phase.scaffold = self._scaffold()
        phase.arguments = self._session_arguments(number)
        phase.finalized_before = self.mood == "odd" and self.chance(0.2)
        phase.loop = self._loop()
        return phase

    def _scaffold(self):
        rng = self.rng
        if self.mood == "odd":
            return rng.sample(SCAFFOLD_OPTIONS, rng.randint(1, 3))
        harmless = [
            "init_fn",
            "always_ready",
            "local_init",
            "few_kept",
            "summary",
            "copied",
            "plain",
        ]
        if self.chance(0.3):
            return rng.sample(harmless, rng.randint(1, 3))
        return ["plain"] if self.surface == "training" and self.chance(0.3) else []

    def _session_arguments(self, number):
        rng = self.rng
        arguments = {}
        if self.saved and (number > 0 or self.chance(0.6)):
            arguments["checkpoint_dir"] = self.saved
            if number > 0 and self.surface == "singular" and self.chance(0.25):
                del arguments["checkpoint_dir"]
                arguments["checkpoint_filename_with_path"] = rng.choice(
                    ["model/model.ckpt-0", "model/model.ckpt-1", "model/model.ckpt-9"]
                )
        if self.chance(0.1):
            arguments["stop_grace_period_secs"] = rng.choice([5, 120])
        if self.surface == "training":
            arguments.update(self._training_arguments(arguments))
        return arguments

    def _training_arguments(self, arguments):
        rng = self.rng
        chosen = {}
        choices = {
            "save_checkpoint_steps": [1, 2, 3, 0, None],
            "save_checkpoint_secs": [None, 1, 600, 0],
            "save_summaries_steps": [1, 2, 3, None, 0],
            "save_summaries_secs": [None, 2, 0],
            "log_step_count_steps": [1, 2, 5, None, 0],
            "summary_dir": ["summed"],
            "max_wait_secs": [10],
        }
        for name in sorted(choices):
            if self.chance(0.3):
                chosen[name] = rng.choice(choices[name])
        return chosen

    # Hooks.

    def _hook(self, index):
        if self.chance(0.5):
            return self._random_hook(str(index))
        kinds = [
            self._stop_at_step,
            self._logging,
            self._logging,
            self._checkpoint_saver,
            self._checkpoint_saver,
            self._nan,
            self._final_ops,
            self._feed_function,
            self._step_counter,
            self._summary_saver,
            self._waiter,
        ]
        hook = self.rng.choice(kinds)()
        hook.base = self.rng.choice(["own", "own", "own", "tensorflow"])
        return hook

    def _stop_at_step(self):
        name = self.rng.choice(["last_step", "num_steps"])
        return Hook("StopAtStepHook", arguments={name: self.rng.randint(0, 5)})

    def _logging(self):
        rng = self.rng
        leaves = [(key, ["object", "name"]) for key in self._tensor_keys()]
        items = [self.fetches(leaves, depth=0, wrong=0) for _ in range(rng.randint(1, 3))]
        if self.chance(0.5):
            keys = rng.sample(["loss", "a", "z", "step"], len(items))
            fetches = ("dict", list(zip(keys, items, strict=True)))
        else:
            fetches = (rng.choice(["list", "tuple"]), items)
        arguments = {"fetches": fetches, "own_format": self.chance(0.2)}
        when = rng.choice(["iter", "iter", "secs", "end"])
        if when == "iter":
            arguments["every_n_iter"] = rng.randint(1, 3)
        elif when == "secs":
            arguments["every_n_secs"] = rng.choice([1, 2.5, 600])
        if when == "end" or self.chance(0.3):
            arguments["at_end"] = True
        return Hook("LoggingTensorHook", arguments=arguments)

    def _tensor_keys(self):
        keys = [key for key, forms in self.leaves if forms != ["object"] and "op_name" in forms]
        operations = {"train", "nothing", "restart", "asserted"}
        return sorted(set(keys) - operations - graphs.COSTLY)

    def _checkpoint_saver(self):
        rng = self.rng
        saver = rng.choice(["scaffold", "own", "none"])
        arguments = {"saver": saver, rng.choice(["save_steps", "save_steps", "save_secs"]): 2}
        if self.chance(0.2):
            arguments["checkpoint_basename"] = "other.ckpt"
        if self.chance(0.15):
            arguments["folder"] = "elsewhere"
        if self.chance(0.2):
            arguments["save_graph_def"] = False
        listeners = [self._listener() for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        return Hook("CheckpointSaverHook", arguments=arguments, listeners=listeners)

    def _nan(self):
        key = self.rng.choice(["loss", "loss", "checked"])
        if not any(key == leaf for leaf, _ in self.leaves):
            key = "loss"
        return Hook("NanTensorHook", arguments={"loss": key, "fail_on_nan_loss": self.chance(0.6)})

    def _final_ops(self):
        arguments = {"fetches": self.fetches(), "feeds": self.feeds()}
        return Hook("FinalOpsHook", arguments=arguments)

    def _feed_function(self):
        most = feed_specs.random_feeds(self.rng, self.feedables, 1, self.wrong)
        return Hook("FeedFnHook", arguments={"feeds": most})

    def _step_counter(self):
        arguments = {"every_n_steps": self.rng.randint(1, 3)}
        if self.chance(0.3):
            arguments = {"every_n_secs": 2, "every_n_steps": None}
        return Hook("StepCounterHook", arguments=arguments)

    def _summary_saver(self):
        sources = ["scaffold"] + (["op", "list"] if "summary" in self.graph.parts else [])
        arguments = {"source": self.rng.choice(sources)}
        arguments[self.rng.choice(["save_steps", "save_steps", "save_secs"])] = 2
        return Hook("SummarySaverHook", arguments=arguments)

    def _waiter(self):
        return Hook("GlobalStepWaiterHook", arguments={"wait_until_step": 0})

    def _random_hook(self, name):
        rng = self.rng
        base = rng.choice(["own", "own", "tensorflow", "none"])
        hook = Hook(base=base)
        plan = hook.plan
        leaves = list(self.leaves)
        if self.chance(0.25):
            key = f"own_{name}"
            plan.setdefault("begin", []).append(("always", ("build", key)))
            leaves += [(key, ["object", "name"])] * 3
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            plan.setdefault("request", []).append((self._when(), self._request(leaves)))
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            callback = rng.choice(_CALLBACKS[1:])
            plan.setdefault(callback, []).append((self._when(), self._action(callback)))
        if self.mood == "stopping" or self.chance(0.05):
            callback = rng.choice(["before_run", "after_run", "after_run", "after_create_session"])
            stop = rng.choice([("stop",), ("stop",), ("coordinator stop",)])
            plan.setdefault(callback, []).append((rng.randint(0, 3), stop))
        if (self.mood == "raising" and self.chance(0.6)) or self.chance(0.03):
            callback = rng.choice(_CALLBACKS + ["before_run", "after_run"])
            action = ("raise", self.error())
            if callback != "begin" and self.chance(0.2):
                action = ("coordinator error", self.error())
            plan.setdefault(callback, []).append((rng.randint(0, 3), action))
        if self.chance(0.15):
            callback = rng.choice(_CALLBACKS)
            plan.setdefault(callback, []).append(("always", ("look",)))
        return hook

    def _when(self):
        return self.rng.choice(["always", "always", 0, 1, 2, 3])

    def _request(self, leaves):
        rng = self.rng
        if self.mood == "odd" and self.chance(0.1):
            return ("wrong",)
        if self.chance(0.05):
            return ("none",)
        fetches = None if self.chance(0.15) else self.fetches(leaves)
        options = None
        if self.chance(0.1):
            options = rng.choice([{"timeout_in_ms": 60000}, {"timeout_in_ms": 90000}])
        return ("args", fetches, self.feeds(), options)

    def _action(self, callback):
        rng = self.rng
        kind = rng.choices(
            ["run", "eval", "clock", "caught", "save", "build late"], [6, 2, 1, 2, 1, 1]
        )[0]
        if kind == "eval":
            keys = [key for key, _ in self.leaves if key in ("loss", "step", "train", "scaled")]
            if "initializable" in self.graph.parts:
                keys.append("restart")
            return ("eval", rng.choice(keys))
        if kind == "clock":
            return ("clock", rng.choice([0.25, 3.0, 601.0]))
        if kind == "caught":
            wrong = self.fetches(wrong=0.5)
            return ("caught", rng.choice([("run", wrong, self.feeds()), ("build late",)]))
        if kind == "build late" and self.mood in ("odd", "raising"):
            return ("build late",)
        if kind == "save":
            if "extra_saver" not in self.graph.parts:
                self.graph.parts.append("extra_saver")
            return ("save", "extra/saved")
        return ("run", self.fetches(), self.feeds())

    def _listener(self):
        rng = self.rng
        plan = {}
        for _ in range(rng.choice([0, 1, 1, 2])):
            callback = rng.choice(["before_save", "after_save", "end"])
            plan.setdefault(callback, []).append((self._when(), self._action(callback)))
        if self.chance(0.2):
            plan.setdefault("after_save", []).append((rng.randint(0, 2), ("return true",)))
        if self.mood == "raising" and self.chance(0.3):
            callback = rng.choice(["begin", "before_save", "after_save", "end"])
            plan.setdefault(callback, []).append((rng.randint(0, 1), ("raise", self.error())))
        return plan

    # The loop.

    def _loop(self):
        rng = self.rng
        items = []
        steady = None
        if self.chance(0.7):
            # A training loop: mostly the same fetches, as scripts have them.
            steady = (self._train_fetches(), self.feeds(1))
        for _ in range(rng.choice([1, 2, 3, 4, 5, 6, 8])):
            items.append(self._loop_item(steady))
        if self.mood == "raising" and self.chance(0.35):
            place = rng.randint(0, len(items))
            items.insert(place, ("raise", self.error()))
        if self.mood in ("raising", "wrong elements", "out of range") and self.chance(0.5):
            items = [("caught", item) if self.chance(0.6) else item for item in items]
        if self.mood == "odd" and self.chance(0.3):
            items.insert(rng.randint(0, len(items)), ("close",))
        return items

    def _train_fetches(self):
        rng = self.rng
        key = "loss" if self.mood == "wrong elements" else "train"
        train = ("leaf", key, "object")
        if self.chance(0.4):
            return train
        others = [self.fetches(depth=1, wrong=0) for _ in range(rng.randint(1, 2))]
        return (rng.choice(["list", "tuple"]), [train, *others])

    def _loop_item(self, steady):
        rng = self.rng
        kind = rng.choices(
            ["steady", "run", "step function", "raw", "until stop", "failing", "other"],
            [10, 4, 3, 1, 2, 2, 1],
        )[0]
        if kind == "steady" and steady:
            return ("run", *steady)
        if kind == "until stop":
            return ("until stop", *(steady or (self._train_fetches(), [])), rng.randint(2, 6))
        if kind == "step function":
            return self._step_function()
        if kind == "raw" and self.surface == "singular":
            return ("raw", ("run", self.fetches(), self.feeds()))
        if kind == "failing":
            return self._failing_run()
        if kind == "other":
            return rng.choice([("clock", 3.0), ("look",)])
        regardless = self.chance(0.1)
        options = {"timeout_in_ms": 50000} if self.chance(0.1) else None
        return ("run", self.fetches(), self.feeds(), options, regardless)

    def _step_function(self):
        rng = self.rng
        if self.mood == "odd" and self.chance(0.5):
            return ("step function", rng.choice(ODD_STEP_FUNCTIONS), [])
        actions = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            if self.chance(0.5):
                actions.append(("with hooks", self._train_fetches(), self.feeds(1)))
            else:
                actions.append(("run", self.fetches(), self.feeds()))
        if self.chance(0.15) or self.mood == "stopping":
            actions.insert(rng.randint(0, len(actions)), ("stop",))
        if self.mood == "raising" and self.chance(0.3):
            actions.insert(rng.randint(0, len(actions)), ("raise", self.error()))
        return ("step function", rng.choice(["function", "function", "method"]), actions)

    def _failing_run(self):
        """A run that fails inside an op, if the graph has one that can."""
        rng = self.rng
        parts = self.graph.parts
        fetches = ("leaf", "loss", "object")
        feeds = []
        if "failing" in parts and self.chance(0.6):
            fetches = ("leaf", rng.choice(["checked", "asserted"]), "object")
            if self.mood in ("raising", "out of range"):
                feeds = [feed_specs.fixed_feed("risk", -1.0)]
        elif "python" in parts:
            fetches = ("leaf", "called", "object")
            if self.mood in ("raising", "out of range"):
                feeds = [feed_specs.fixed_feed("argument", -float(rng.choice([1, 2, 4, 5, 8])))]
        item = ("run", fetches, feeds)
        return ("caught", item) if self.chance(0.5) else item
