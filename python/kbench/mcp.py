"""A server of the Model Context Protocol on stdin and stdout, for agents that write kernels: kbench mcp.

Protocol: modelcontextprotocol.io/specification; spoken by the official SDK (`pip install mcp`). docs/agents.md
"""
import functools
import inspect
import re
import sys
from typing import Any, Callable, Literal

from . import api, command, judging
from .command import Failed, call
from .records import Evaluation, Evaluations

try:
    from mcp.server import MCPServer
except ImportError:
    sys.exit("kbench.mcp needs the package mcp: pip install mcp")

INSTRUCTIONS = """kbench judges compute kernels against a definition's reference: correctness first, then time.
Write a kernel, judge it, read the first cause, mend it, judge again; compare it with another one when it passes.
A verdict is the program's alone: never edit records, references or workloads to make one pass."""
MOST = 2000  # characters of an answer, unless a call says otherwise

# Characters that a terminal obeys, or GitHub in the log of a job: as src/base/text.cpp.
OBEYED = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
                    r"|^ *:(?=:)|#(?=#\[)", re.M)

server = MCPServer("kbench", instructions=INSTRUCTIONS)


def printable(text: str) -> str:
    """Text that others may have written: of what is obeyed the last character is written as "\\x1b"."""
    def written_out(found: re.Match[str]) -> str:
        return found[0][:-1] + "".join(f"\\x{byte:02x}" for byte in found[0][-1].encode("utf-8", "surrogatepass"))
    return OBEYED.sub(written_out, text)


def quoted(text: str, begin: str = "> ") -> str:
    """Lines of others, which are not to be taken for the server's own: those behind the first begin with ">"."""
    return begin + "\n> ".join(text.strip().split("\n")) if text.strip() else ""


def tool(function: Callable[..., str]) -> Callable[..., str]:
    """Registers a tool. Its answer is printable and cut at `limit` characters, and a failure is its text."""
    @functools.wraps(function)
    def bounded(*args: Any, limit: int = MOST, **options: Any) -> str:
        try:
            text = function(*args, **options)
        except Failed as failed:
            text = f"kbench: status {failed.status}\n{failed}"
        except (OSError, ValueError) as error:  # a file that cannot be read
            text = f"kbench: status 2\n{error}"
        text = printable(text)
        return text if len(text) <= limit else f"{text[:limit]}\n… {len(text) - limit} characters more: limit={len(text)}"

    signature = inspect.signature(function)
    limit = inspect.Parameter("limit", inspect.Parameter.KEYWORD_ONLY, default=MOST, annotation=int)
    bounded.__signature__ = signature.replace(parameters=[*signature.parameters.values(), limit])  # type: ignore[attr-defined]
    bounded.__annotations__ = {**function.__annotations__, "limit": int}
    server.tool(structured_output=False)(bounded)
    return bounded


@tool
def list_records(what: Literal["definitions", "solutions", "workloads", "traces"] = "definitions",
                 definition: str | None = None, root: str | None = None) -> str:
    """What a trace set holds, a line each: definitions (operation, how many workloads and solutions), or the solutions,
    workloads or recorded verdicts, of one definition if it is named. `root` is the trace set's folder."""
    return call("list", what, definition=definition, root=root).stdout + "next: judge(definition, candidate)"


@tool
def validate(path: str) -> str:
    """Errors and warnings in a file, folder or trace set, each with its place and a hint."""
    done = call("validate", path, good=(0, 2))
    return done.stderr + done.stdout


@tool
def judge(definition: str, candidate: str, workload: str | None = None, audit: bool = False, root: str | None = None) -> str:
    """Judges a kernel on a definition's workloads. `candidate` is a file (.cpp, .cu, .py) whose function run() takes the
    inputs, then the outputs (in Python it may return them), or the name of a solution of the trace set. `workload` names
    one by its lengths ("M=16"); `audit` times every call by the judge's clock and checks it, for code that is not trusted."""
    options = {"workload": workload, "audit": audit, "root": root}
    if judging.Path(candidate).is_file():
        return _verdicts(judging.judge(candidate, definition=definition, **options))
    return _verdicts(api.run(definition=definition, solution=candidate, no_save_results=True, **options))


@tool
def compare(definition: str, a: str, b: str, workload: str | None = None, root: str | None = None) -> str:
    """Whether solution B is faster than solution A, measured in turn with a stated error rate: FASTER, SLOWER, SAME, or
    UNDECIDED with what may decide it."""
    done = call("compare", a, b, definition=definition, workload=workload, root=root)
    return done.stdout or done.stderr


@tool
def explain(definition: str, solution: str, workload: str | None = None, root: str | None = None) -> str:
    """Everything that the newest recorded verdict of a solution says of its failure: the cause, where and by how much it
    is worst, the log of compiler and program, and the command that judges it again."""
    records = api.report(definition=definition, solution=solution, workload=workload, root=root)
    failed = records.failures or records
    if not failed:
        return records.log + "nothing is recorded: judge(definition, candidate) first; what it judged of a file is not recorded"
    one = failed[-1]
    raw = one.raw["evaluation"]
    again = f"kbench replay -d {one.definition} -s {one.solution} -w {one.workload}"
    worst = f"worst absolute error {one.max_absolute_error:.4g}" if one.max_absolute_error is not None else ""
    return "\n".join(line for line in (f"{one.status} on {_axes(one)}", quoted(one.cause or "", ""), worst, quoted(raw.get("log") or ""),
                                       f"next: mend it, then judge it again; the arrays: {again} --dump DIR") if line)


def _verdicts(found: Evaluations) -> str:
    """A line a solution, the first failing cause, the next step."""
    if not found:
        return found.log.strip() or "nothing was judged"
    failures = found.failures
    text = f"{len(found) - len(failures)} of {len(found)} workloads passed"
    if failures:
        first = failures[0]
        log = (first.raw["evaluation"].get("log") or "").strip()
        cause = first.cause or log.partition("\n")[0]
        return "\n".join([text, f"{first.status} on {_axes(first)}: {quoted(cause, '')}",
                          *([quoted("\n".join(log.split("\n")[:12]))] if first.status == "COMPILE_ERROR" else ()),
                          "next: mend this one first, then judge again"])
    times = [f"{_axes(one)}: {one.latency_ns:.4g} ns" + (f", {one.speedup:.2f} times the reference's speed" if one.speedup else "")
             for one in found if one.latency_ns]
    return "\n".join([text, *times, "next: compare(definition, a, b) with a solution of the trace set"])


def _axes(one: Evaluation) -> str:
    return " ".join(f"{name}={length}" for name, length in one.axes.items()) or one.workload[:8]


if __name__ == "__main__":
    command.EVERYWHERE[:] = sys.argv[1:]
    server.run("stdio")
