"""NVIDIA SOL-ExecBench: a folder a problem with definition.json, workload.jsonl (bare workloads), solution*.json and
config.json. Its schema is FlashInfer-Bench's with axes that are expressions, numbers in shapes, inputs made by code, a
tolerance a workload and a list of languages."""
import definitions
import running
from lengths import Lengths, NoValue, is_expression
from talk import compact
from work import is_empty, look, read_records, section, text_of, whole_number

# {language: (kbench's, a library that is a dependency)}
LANGUAGES = {"pytorch": ("python", ""), "triton": ("triton", ""), "cuda_cpp": ("cuda", ""), "cublas": ("cuda", "cublas"),
             "cudnn": ("cuda", "cudnn"), "cutlass": ("cuda", "cutlass")}


def read(work):
    folders = {}  # {folder: Problem}
    read_records(work, _kind, {"definition": lambda draft: _definition(draft, folders), "solution": _solution,
                               "trace": lambda draft: _trace(work, draft, folders.get(draft.document.file.folder))})


def _kind(work, document):
    value = document.value
    if document.file.name == "config.json":
        work.note("warning", document, f"the settings {compact(value)} are not carried over",
                  "kbench run takes them as options, or in a file with --config")
        return "ignored"
    keys = value.keys() if isinstance(value, dict) else set()
    if {"spec", "sources"} <= keys:
        return "solution"
    if {"reference", "axes"} <= keys:
        return "definition"
    return "trace" if {"axes", "uuid"} <= keys else None


class Problem:
    """Expressions and constants of a definition, shared by all of its workloads."""

    def __init__(self, value):
        self.name, self.entry = text_of(value, "name"), text_of(value, "custom_inputs_entrypoint")
        self.constants = Lengths(dict(section(value, "axes")))
        self.computed = []  # axes whose lengths follow from a workload's


# ---- definitions ----


def _definition(draft, folders):
    value = draft.value
    problem = Problem(draft.document.value)
    folders.setdefault(draft.document.file.folder, problem)
    definitions.add_imports(draft)
    if is_empty(value.get("op_type")):
        draft.info((), 'no op_type is given: it is "sol"')
        value["op_type"] = "sol"
    _tag_model(draft)
    draft.drop((), "custom_inputs_entrypoint",
               "--run-init runs it, in the sandbox of references, once for each workload whose inputs it makes")
    _plain_axes(draft, problem)
    definitions.tidy_tensors(draft)
    draft.add("definition")


def _tag_model(draft):
    model = draft.value.pop("hf_id", None)
    if isinstance(model, str) and model:
        draft.info(("hf_id",), f'hf_id becomes the tag "model:{model}"')
        tags = draft.value.setdefault("tags", [])
        if isinstance(tags, list):
            tags.append(f"model:{model}")


def _plain_axes(draft, problem):
    """An axis that is an expression becomes a const one where it has a value whatever the workload, else a var axis and a
    constraint."""
    constraints = []
    for name, axis in section(draft.value, "axes"):
        text, at = text_of(axis, "expression"), ("axes", name, "expression")
        if not is_expression(axis) or not text:
            continue
        del axis["expression"]
        axis["type"] = "var"
        try:
            axis.update(type="const", value=problem.constants.of(name))
            draft.info(at, f'axis "{name}" = {text} is const: {axis["value"]}')
        except NoValue as why:
            problem.computed.append(name)
            if why.is_open:
                draft.info(at, f'axis "{name}" = {text} becomes a var axis and a constraint',
                           "each workload gives its length")
                constraints.append(f"{name} == {text}")
            else:
                draft.error(at, f'axis "{name}" = {text} has no value: {why}')
    if constraints and isinstance(draft.value.setdefault("constraints", []), list):
        draft.value["constraints"] += constraints


# ---- workloads ----


def _trace(work, draft, problem):
    document = draft.document
    if problem is None:
        work.leave_out(document, "there is no definition.json beside it: workload left out",
                       "a workload is of the definition in its folder")
        return
    custom = [key for key, one in section(draft.value, "inputs") if text_of(one, "type") == "custom"]
    if custom and not (problem.entry and work.run_init):
        work.leave_out(document, "the inputs are made by the definition's code: workload left out",
                       "--run-init runs it, in the sandbox of references", ("inputs",))
        return
    _drop_tolerance(draft, problem.name)
    _compute_axes(draft, problem)
    if custom:
        try:
            _make_inputs(work, draft, problem, custom)
        except running.NotMade as why:
            work.leave_out(document, f"{problem.entry}() makes no inputs: {why}: workload left out", "kbench new workload makes one")
            return
    draft.wrap("workload", {"definition": problem.name})
    draft.add("trace")


def _drop_tolerance(draft, definition):
    if "tolerance" not in draft.value:
        return
    tolerance = draft.value.pop("tolerance")
    keys = {"max_atol": "atol", "max_rtol": "rtol", "required_matched_ratio": "required_matched_ratio"}
    settings = ", ".join(f"{ours}: {compact(look(tolerance, theirs))}" for theirs, ours in keys.items()
                         if isinstance(tolerance, dict) and theirs in tolerance)
    draft.warning(("tolerance",), f"the tolerance {compact(tolerance)} is not carried over: workloads have none",
                  "for all workloads of the definition, in a file for --config: definition_config: "
                  f"{{{definition}: {{{settings}}}}}" if settings else "kbench has no such setting")


def _compute_axes(draft, problem):
    """The lengths of axes that are expressions in the foreign definition."""
    given = look(draft.value, "axes")
    if not isinstance(given, dict):
        return
    lengths = Lengths(problem.constants.axes, dict(given), problem.constants)
    for name in problem.computed:
        if name in given:
            continue
        try:
            given[name] = lengths.of(name)
            draft.moved(("axes", name), ("axes",))
        except NoValue as why:
            draft.error(("axes",), f'axis "{name}" = {text_of(lengths.axes, name, "expression")} has no value: {why}')
            draft.broken(("axes",))
            return


def _make_inputs(work, draft, problem, custom):
    """The workload's inputs of type "custom", by the definition's code, and the lengths that they give."""
    definition = work.definition(problem.name)
    if definition is None:
        raise running.NotMade(f"definition {problem.name} was not carried over")
    axes = draft.value["axes"] if isinstance(draft.value.get("axes"), dict) else {}
    call = {"text": text_of(definition, "reference"), "function": problem.entry, "arguments": [_told(definition, draft.value)],
            "names": custom, "needs_all": True}
    maker = running.Maker(work, "calling", call)
    made = maker.describe()["inputs"]
    fitting = running.axes_of_made(made, definition, {key: whole_number(one) for key, one in axes.items()})
    draft.value["axes"] = {**axes, **{key: one for key, one in fitting.items() if key not in axes}}
    draft.value["inputs"].update(maker.workload_inputs(made, draft.document.file))


def _told(definition, workload):
    """What the function is told: {"M": 4, "eps": 1e-06}."""
    constants = definitions.lengths_of(definition)
    told = {}
    for name, _ in section(definition, "axes"):
        length = whole_number(look(workload, "axes", name))
        length = whole_number(constants.get(name)) if length is None else length
        if length is not None:
            told[name] = length
    told.update((name, one["value"]) for name, one in section(workload, "inputs")
                if text_of(one, "type") == "scalar" and "value" in one)
    return told


# ---- solutions ----


def _solution(draft):
    spec = draft.value["spec"]
    if isinstance(spec, dict):
        _settle_language(draft, spec)
        if spec.get("language") == "cuda":
            _settle_flags(draft, spec)
            if is_empty(spec.get("binding")):
                spec["binding"] = "torch"
        else:
            draft.drop(("spec",), "compile_options", "nothing is compiled")
    draft.add("solution")


def _settle_language(draft, spec):
    """The one language of a list: of Python's the more special one, of C++'s always cuda."""
    said = spec.get("languages")
    if not isinstance(said, list) or not said:
        return
    del spec["languages"]
    chosen = ""
    for i, name in enumerate(said):
        at = ("spec", "languages", i)
        if not isinstance(name, str) or name not in LANGUAGES:
            draft.error(at, f"language {compact(name)} has no counterpart: solution left out",
                        "languages are python, triton, cpp, cuda and tilelang")
            draft.broken(("spec", "language"))
            chosen = "python"
            break
        ours, library = LANGUAGES[name]
        if chosen in ("", "python"):
            chosen = ours
        if library:
            draft.info(at, f"language {name} is cuda with the dependency {name}")
            needed = spec.setdefault("dependencies", [])
            if isinstance(needed, list) and library not in needed:
                needed.append(library)
    spec["language"] = chosen
    draft.moved(("spec", "language"), ("spec", "languages"))


def _settle_flags(draft, spec):
    """Flags of compiled solutions, SOL-ExecBench's defaults written out."""
    options = spec.pop("compile_options", None)
    options = options if isinstance(options, dict) else {}
    at = ("spec", "compile_options")
    if not is_empty(options.get("cflags")):
        draft.warning((*at, "cflags"), '"cflags" is not carried over',
                      "compile_flags go to the compiler of the solution's language, nvcc")
    if not {"cuda_cflags", "ld_flags"} <= options.keys():
        draft.info(("spec",), "SOL-ExecBench's default flags are written out")
    for ours, theirs, usual in (("compile_flags", "cuda_cflags", ["-O3", "--use_fast_math"]),
                                ("link_flags", "ld_flags", ["-lcuda"])):
        spec[ours] = options.get(theirs, usual)
        draft.moved(("spec", ours), (*at, theirs))
