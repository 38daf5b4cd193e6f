"""GPU MODE's problems (reference-kernels): a folder with task.yml, which lists files and the arguments of generate_input(),
and reference.py with ref_kernel(); an answer has custom_kernel()."""
import json
import posixpath
import re

import answers
import python_text
import running
from gpu_mode_axes import ShapedTask
from python_text import defines, imports, tidy_name, with_line_break
from work import attempt, look, text_of

OP_TYPE = "gpu_mode"
CALLED_CASES = 3  # with which ref_kernel() is run
OWN_FILES = ("reference.py", "task.py", "utils.py", "eval.py", "template.py")


class Defect(Exception):
    """Why a task is not carried over, and where in task.yml that stands."""

    def __init__(self, why, at=()):
        super().__init__(why)
        self.at = at


class Arguments:
    """A specification of a task: arguments of generate_input(), as a dict and in Python; the whole numbers among them."""

    def __init__(self, values):
        self.values = values
        self.integers = {name: value for name, value in values.items() if type(value) is int}
        said = (f'"{name}": {json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value!r}'
                for name, value in values.items())
        self.python = "{" + ", ".join(said) + "}"

    def spread(self):
        """With each whole number times another factor, so that lengths which are equal by chance are told apart and what
        must divide others still does."""
        values, factor = dict(self.values), 1
        for name in self.integers:
            if name != "seed":
                values[name] *= factor
                factor += 1
        return Arguments(values)


class Task:
    """What task.yml says, as far as it is carried over. Raises Defect."""

    def __init__(self, work, document):
        if document.problem:
            raise Defect(document.problem)
        said = document.value
        language = look(said, "lang")
        if language not in (None, "py"):
            raise Defect(f"its lang is {json.dumps(language)}, not py", ("lang",))
        self.file = document.file
        self.description = text_of(said, "description").strip()
        self.arguments = [Arguments(one if isinstance(one, dict) else {})
                          for part in ("tests", "benchmarks") for one in items(said, part)]
        if not self.arguments:
            raise Defect("it has neither tests nor benchmarks")
        self.reference, self.modules = "", {}
        self._read_modules(work, said)
        self.text = f"{installing(self.modules, self.reference)}{with_line_break(python_text.on_the_cpu(self.reference))}"

    def _read_modules(self, work, said):
        found = list(self._files(work, said))
        for name, text, *_ in found:
            if name == "reference":
                self.reference = text or ""
        for name, text, source, at in found:  # eval.py, which nothing imports, is not asked for
            is_imported = imports(self.reference, name)
            if text is None and (is_imported or name == "reference"):
                raise Defect(f"{source} is not there", at)
            if is_imported:
                self._add_module(name, text)
        if not defines(self.reference, "ref_kernel") or not defines(self.reference, "generate_input"):
            raise Defect("reference.py has no ref_kernel() and generate_input()")

    def _files(self, work, said):
        """(name of the module, text or None, where task.yml says that it is, the place there)."""
        for i, one in enumerate(items(said, "files")):
            name, source = text_of(one, "name"), text_of(one, "source")
            if name.endswith(".py") and not source.startswith("@"):
                wanted = posixpath.normpath(posixpath.join(self.file.folder, source))
                text = next((file.text for file in work.files if posixpath.normpath(file.path) == wanted), None)
                yield name[:-3], text, source, ("files", i)

    def _add_module(self, name, text):
        """Before the first that imports it."""
        names = list(self.modules)
        before = next((i for i, other in enumerate(names) if imports(self.modules[other], name)), len(names))
        pairs = list(self.modules.items())
        self.modules = dict([*pairs[:before], (name, text), *pairs[before:]])

    def has(self, file):
        """Whether a file is in the task's folder, or below it."""
        return file.path.startswith(f"{self.file.folder}/" if self.file.folder else "")


def items(value, key):
    found = look(value, key)
    return found if isinstance(found, list) else []


def installing(modules, behind):
    """On one line, so that lines keep their numbers; it ends with a line break where the text behind it does not begin with a
    simple statement."""
    if not modules:
        return ""
    text = "import sys as _kbench_sys, types as _kbench_types" + "".join(
        f'; _kbench_sys.modules["{name}"] = _kbench_types.ModuleType("{name}")'
        f'; exec({literal(python_text.on_the_cpu(source))}, _kbench_sys.modules["{name}"].__dict__)'
        for name, source in modules.items())
    if behind.startswith(("\n", "#")):
        return text + " "
    return text + ("; " if behind.startswith(("import ", "from ")) else "\n")


def literal(text):
    return json.dumps(text) if text.isascii() else repr(text)


def run_text(inputs, called, data):
    """run() of a Definition and of an answer: `called` is ref_kernel or custom_kernel, `data` its argument in Python."""
    return (f"\n\ndef run({', '.join(inputs)}):\n    import torch\n    outputs = {called}({data})\n"
            "    return tuple(outputs) if isinstance(outputs, list) else outputs\n")


def read(work):
    Reader(work).read()


class Reader:
    def __init__(self, work):
        self.work = work
        self.documents = [one for one in work.documents if one.file.name == "task.yml"]
        self.tasks = {}  # {name of the Definition: (Task, data)}
        self.has_wanted_answer = any(one.wanted and one.name.endswith(".py") for one in work.files)

    def read(self):
        for document in self.documents:
            attempt(self.work, document, self._add_task)
        for file in self.work.files:
            if file.wanted and file.name.endswith(".py"):
                attempt(self.work, file, self._add_answer)

    def _leave_out(self, file, message, hint=""):
        self.work.leave_out(file, message, hint, 0)

    def _add_task(self, document):
        self.work.readable += 1
        try:
            task = Task(self.work, document)
            if document.wanted or self.has_wanted_answer:
                self._run_cases(task)
        except Defect as defect:
            self.work.leave_out(document, f"is left out: {defect}", at=defect.at)
        except running.NotMade as why:
            self._leave_out(document.file, f"is left out: {why}")

    # ---- what a task makes ----

    def _maker(self, task, arguments, buffers=()):
        return running.Maker(self.work, "gpu_mode", {
            "text": task.text, "reference": task.text, "arguments": arguments.values, "buffers": list(buffers)})

    def _buffers(self, task):
        """Tensors of data that ref_kernel() reads in none of the first tests, which are small."""
        unread = None
        for arguments in task.arguments[:CALLED_CASES]:
            names = [one["name"] for one in self._maker(task, arguments).describe(wanted="buffers")["buffers"]]
            unread = names if unread is None else [name for name in names if name in unread]
        return unread

    def _run_cases(self, task):
        """Calls the task with all of its arguments. What fails with the first ones fails with all."""
        buffers = self._buffers(task)
        found, slow = [], None  # what takes too long does so with the arguments behind it, which are larger
        for arguments in task.arguments:
            maker = self._maker(task, arguments, buffers)
            try:
                if slow:
                    raise slow
                found.append((arguments, maker, maker.describe(wanted="outputs" if len(found) < CALLED_CASES else "")))
            except running.NotMade as why:
                slow = why if why.is_slow else None
                if not found:
                    raise
                self._leave_out(task.file, f"the workload {arguments.python} is left out: {why}")
        shaped, lengths = self._shaped(task, found, buffers)
        self._add_records(task, found, shaped, lengths)

    def _shaped(self, task, found, buffers):
        """The task's shapes, and the lengths of its cases."""
        spread = task.arguments[0].spread()
        cases, arguments = [case for *_, case in found], [one for one, *_ in found]
        try:
            cases.insert(0, self._maker(task, spread, buffers).describe(wanted="outputs"))
            arguments.insert(0, spread)
        except running.NotMade:  # no workload, so that it need not work
            pass
        shaped = ShapedTask(cases, arguments)
        return shaped, shaped.lengths[len(cases) - len(found):]

    def _add_records(self, task, found, shaped, lengths):
        path = posixpath.normpath(posixpath.join(self.work.current, task.file.path))
        name = f"{OP_TYPE}_{tidy_name(path.split('/')[-2])}"
        if task.file.wanted or name in self.work.known:  # one that only explains an answer is in the trace set already
            self.tasks[name] = task, shaped.data
        if not task.file.wanted:
            return
        self._tell_what_is_lost(task)
        reference = task.text + run_text(shaped.definition["inputs"], "ref_kernel", shaped.data)
        self.work.add("definition", task.file, {"name": name, "op_type": OP_TYPE, "tags": [], **shaped.definition,
                                                "description": task.description, "reference": reference})
        for (arguments, maker, case), axes in zip(found, lengths):
            try:
                inputs = maker.workload_inputs(case["inputs"], task.file)
            except running.NotMade as why:
                self._leave_out(task.file, f"the workload {arguments.python} is left out: {why}")
                continue
            self.work.add_workload(task.file, name, {"axes": axes, "inputs": inputs}, made_of=arguments.python)

    def _tell_what_is_lost(self, task):
        if defines(task.reference, "check_implementation"):
            said = ("check_implementation() is not carried over",
                    "answers are judged by a rule; check() beside run() is for answers that are not unique: docs/verdict.md")
        elif "tol=" in task.reference:
            said = ("the tolerance of check_implementation is not carried over",
                    "in a file for --config: definition_config: {NAME: {atol: …, rtol: …}}")
        else:
            return
        self.work.note("warning", task.file, *said, 0)

    # ---- answers ----

    def _task_of(self, answer):
        """The name of the task in an answer's folder, or the nearest above it; None where there is none."""
        above = [(len(task.file.folder), name) for name, (task, _) in self.tasks.items() if task.has(answer)]
        return max(above)[1] if above else None

    def _is_in_a_task(self, answer):
        return any(answer.path.startswith(f"{one.file.folder}/" if one.file.folder else "") for one in self.documents)

    def _add_answer(self, answer):
        if not defines(answer.text, "custom_kernel"):
            if self._is_in_a_task(answer) and answer.name not in OWN_FILES:
                self._leave_out(answer, "is left out: it defines no custom_kernel()",
                                "an answer is a function custom_kernel(data)")
            return
        self.work.readable += 1
        name = self._task_of(answer)
        if name is None and self._is_in_a_task(answer):
            self._leave_out(answer, "is left out with its task")
        elif name is None:
            self._leave_out(answer, "is left out: no task of this import is in its folder",
                            "an answer is imported with its task")
        else:
            self._add_solution(answer, name)

    def _add_solution(self, answer, name):
        task, data = self.tasks[name]
        inputs = list(self.work.definition(name)["inputs"])
        folder = answer.folder
        author = OP_TYPE if folder == task.file.folder else tidy_name(folder.rpartition("/")[2])
        stem = tidy_name(re.sub(r"\.py$", "", answer.name))
        sources = {"main.py": answer.text + run_text(inputs, "custom_kernel", data),
                   **{f"{module}.py": text for module, text in task.modules.items()}}
        answers.add_solution(self.work, answer, (author, f"{author}_{stem}_{name[len(OP_TYPE) + 1:]}", name),
                             "An answer to GPU MODE's task.", sources)
