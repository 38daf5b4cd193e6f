"""FlashInfer-Bench's data set as it was in mid-2025: "type" for op_type, an empty shape for a Python scalar, languages with a
capital, entry points without a file, solutions that return their outputs, workloads without uuid that repeat the const
axes, "format" for an input's type, evaluations with log_file and device. A workload has the solution "" and the
evaluation {}."""
import hashlib

import definitions
from talk import compact
from work import is_empty, look, read_records, section, text_of, whole_number

LANGUAGES = {"Python": "python", "Triton": "triton", "CUDA": "cuda", "C++": "cpp", "CPP": "cpp"}


def read(work):
    stored = _stored_inputs(work)
    read_records(work, _kind, {"definition": lambda draft: _definition(draft, stored), "solution": _solution,
                               "trace": lambda draft: _trace(work, draft)})


def _kind(_, document):
    keys = document.value.keys() if isinstance(document.value, dict) else set()
    if "workload" in keys:
        return "trace"
    if {"spec", "sources"} <= keys:
        return "solution"
    return "definition" if {"axes", "reference"} <= keys else None


# ---- definitions ----


def _stored_inputs(work):
    """(definition, input) that some workload takes from a file of tensors, and that so are tensors."""
    return {(text_of(one.value, "definition"), name) for one in work.documents
            for name, said in section(one.value, "workload", "inputs")
            if (text_of(said, "type") or text_of(said, "format")) == "safetensors"}


def _definition(draft, stored):
    definitions.add_imports(draft)
    _rename(draft, (), "type", "op_type")
    for name, axis in section(draft.value, "axes"):
        draft.drop(("axes", name), "parent", "a constraint says how axes depend on each other")
    definitions.open_constant_axes(draft)
    for name, spec in section(draft.value, "inputs"):
        if look(spec, "shape") == [] and (text_of(draft.value, "name"), name) not in stored:
            draft.info(("inputs", name, "shape"), f'input "{name}" of shape [] is a number: its shape is null',
                       "a 0-D tensor has the shape [] today")
            spec["shape"] = None
    definitions.tidy_tensors(draft)
    draft.add("definition")


def _rename(draft, at, old, new):
    owner = look(draft.value, *at)
    if isinstance(owner, dict) and old in owner and new not in owner:
        draft.rename(at, old, new)


# ---- solutions ----


def _solution(draft):
    spec = draft.value["spec"]
    if isinstance(spec, dict):
        for key in ("build_steps", "build_commands"):
            draft.drop(("spec",), key, "kbench builds by itself: compile_flags, link_flags")
        _name_entry_file(draft.value, spec)
        _settle_language(draft, spec)
        if "destination_passing_style" not in spec:
            draft.info(("spec",), "solutions returned their outputs: destination_passing_style is false")
            spec["destination_passing_style"] = False
    draft.add("solution")


def _name_entry_file(solution, spec):
    """An entry point without a file means the only source, else main.py."""
    entry, sources = spec.get("entry_point"), solution["sources"]
    paths = [text_of(one, "path") for one in sources] if isinstance(sources, list) else []
    if isinstance(entry, str) and "::" not in entry:
        file = paths[0] if len(paths) == 1 else "main.py" if "main.py" in paths else ""
        spec["entry_point"] = f"{file}::{entry}" if file else entry


def _settle_language(draft, spec):
    language = LANGUAGES.get(text_of(spec, "language"))
    if language:
        spec["language"] = language
        if language in ("cuda", "cpp") and "binding" not in spec:
            draft.info(("spec", "language"), "the binding of compiled solutions was PyTorch's: \"binding\" is \"torch\"")
            spec["binding"] = "torch"


# ---- workloads and traces ----


def _trace(work, draft):
    value = draft.value
    if isinstance(value["workload"], dict):
        _settle_workload(draft, value["workload"], work.definition(text_of(value, "definition")))
    for key in ("solution", "evaluation"):
        if key in value and is_empty(value[key]):
            value[key] = None
    if isinstance(value.get("evaluation"), dict):
        if "log_file" in value["evaluation"]:
            draft.warning(("evaluation", "log_file"), '"log_file" is not carried over', "a log stands in the record itself")
            del value["evaluation"]["log_file"]
        _rename(draft, ("evaluation", "environment"), "device", "hardware")
    draft.add("trace")


def _settle_workload(draft, workload, definition):
    for name, _ in section(workload, "inputs"):
        _rename(draft, ("workload", "inputs", name), "format", "type")
    # Lengths of const axes are the definition's; one that differs stays, and is found to be wrong.
    constants = definitions.lengths_of(definition)
    repeated = [name for name, length in section(workload, "axes")
                if name in constants and whole_number(length) == whole_number(constants[name]) is not None]
    if repeated:
        draft.info(("workload",), "the lengths of const axes are left to the definition")
        workload["axes"] = {name: length for name, length in workload["axes"].items() if name not in repeated}
    if "uuid" not in workload:
        draft.info(("workload",), "the workload has no uuid: it gets one made of its content")
        workload["uuid"] = _uuid(text_of(draft.value, "definition"), workload)


def _uuid(definition, workload):
    """In the form of a UUID, the same for the same definition and content."""
    digest = hashlib.sha256(f"{definition}\n{compact(workload)}".encode("utf-8", "surrogatepass")).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
