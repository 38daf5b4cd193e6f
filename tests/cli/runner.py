"""Runs a shell command and compares what it prints with a text that may hold placeholders.

In an expected text
  a line `…`        stands for any number of lines,
  `…` in a line     for anything in that line,
  a line `~ REGEX`  for one line that the regular expression matches.

Where numbers may differ, `11.8 µs ±3%` also stands for `9 to 16 µs`, and `22.8x ±1.2%` for `9 to 16x`: a busy machine makes
wide intervals. What kbench run says of the references that it timed (REMARKS) is left out, unless the text has it; and so
is what it says of work that takes longer than some seconds (PROGRESS).
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KBENCH_BUILD", ROOT / "build")).resolve()
TIME_LIMIT = 300  # seconds of one command: what measures a machine takes half a minute of a quiet one
QUANTITY = re.compile(r"-?\d[\d.,]*(?:e[-+]?\d+)?(?:\s?(?:ns|µs|us|ms|s)\b)?")
SHARE = r" ±\d[\d.]*%"
NUMBER = r"\d[\d.]*(?:e[-+]?\d+)?"
LATENCY = re.compile(rf"{QUANTITY.pattern}(?:{SHARE}| to {QUANTITY.pattern})")
SPEEDUP = re.compile(rf"(?:{NUMBER} to )?{NUMBER}x(?:{SHARE})?")
REMARKS = re.compile(r"^(?:the reference was timed .*|\d+ of \d+ rows? without a speed-up: .*)\n", re.MULTILINE)
PROGRESS = re.compile(r"^.+ has taken [\d.]+ (?:s|min|h) so far\n", re.MULTILINE)
BLANKS = re.compile(r"\s+|-{3,}|─{3,}")


def literal_pattern(text, any_number):
    """A regular expression for this text; with any_number its numbers and column widths may differ."""
    if not any_number:
        return re.escape(text)
    pattern, at = "", 0
    for match in re.finditer(f"({LATENCY.pattern})|({SPEEDUP.pattern})|({QUANTITY.pattern})|({BLANKS.pattern})", text):
        pattern += re.escape(text[at:match.start()])
        if match[1]:
            pattern += f"(?:{LATENCY.pattern}|{QUANTITY.pattern})"
        elif match[2]:
            pattern += f"(?:{SPEEDUP.pattern})"
        elif match[3]:
            pattern += QUANTITY.pattern
        else:
            pattern += "[-─]+" if match[4].strip() else r"\s+"
        at = match.end()
    return pattern + re.escape(text[at:])


def line_pattern(line, any_number):
    if line == "…":
        return r"(?:.*\n)*?"
    if line.startswith("~ "):
        return f"(?:{line[2:]})\n"
    return ".*?".join(literal_pattern(part, any_number) for part in line.split("…")) + "\n"


def without_remarks(expected, actual):
    for remarks in (PROGRESS, REMARKS):
        if not remarks.search(expected):
            actual = remarks.sub("", actual)
    return actual


def mismatch(expected, actual, any_number=False):
    """None if `actual` is what `expected` says, else a text that shows where they part."""
    actual = without_remarks(expected, actual)
    if actual and not actual.endswith("\n"):
        actual += "⏎ missing at the end\n"
    lines = expected.splitlines()
    patterns = [line_pattern(line, any_number) for line in lines]
    if re.fullmatch("".join(patterns), actual):
        return None
    matched = next(n for n in range(len(lines), -1, -1) if re.match("".join(patterns[:n]), actual))
    if matched == len(lines):
        wanted = "the end of the output"
    else:
        wanted = f"line {matched + 1}: {lines[matched]}"
    return f"expected here {wanted}\nwhole expected text:\n{indent(expected)}\nactual output:\n{indent(actual)}"


def indent(text):
    return "".join(f"  | {line}\n" for line in text.splitlines()) or "  (nothing)\n"


class Shell:
    """Runs commands in a fresh folder, with the built programs first in PATH and nobody's settings."""

    def __init__(self, data=None):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kbench-cli-"))
        self.work = self.home / "work"
        self.work.mkdir()
        self.names = {str(self.work): "$TMP", str(data): "$DATA", str(ROOT): "$ROOT"}
        kept = {name: os.environ[name] for name in ("KBENCH_OUTSIDE", "ASAN_OPTIONS", "UBSAN_OPTIONS")
                if name in os.environ}
        self.environment = {
            **kept, "PATH": f"{BUILD}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "TERM": "dumb",
            "XDG_CACHE_HOME": str(self.home / "cache"), "LC_ALL": "C.UTF-8", "ROOT": str(ROOT), "DATA": str(data)}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, command, merged=False):
        """Returns (exit status, stdout, stderr); merged: both in stdout, as on a terminal."""
        process = subprocess.Popen(["bash", "-c", command], cwd=self.work, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT if merged else subprocess.PIPE,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise AssertionError(f"still running after {TIME_LIMIT} s: {command}")
        return process.returncode, self.named(out), self.named(err or b"")

    def named(self, output):
        """Paths that differ from run to run, by name."""
        text = output.decode(errors="replace")
        for path, name in sorted(self.names.items(), key=lambda item: -len(item[0])):
            text = text.replace(path, name)
        return text


def read(path):
    return path.read_text() if path.exists() else ""


def run_case(folder, bless=False):
    """Runs tests/cli/<case>: `cmd` against `stdout`, `stderr` (absent: nothing printed), `code` (absent: 0)."""
    with Shell(folder) as shell:
        status, out, err = shell.run((folder / "cmd").read_text())
    wanted = int(read(folder / "code").strip() or 0)
    if bless:
        bless_file(folder / "stdout", out)
        bless_file(folder / "stderr", err)
        (folder / "code").write_text(f"{status}\n")
        return
    differing = []
    for name, actual in (("stdout", out), ("stderr", err)):
        text = mismatch(read(folder / name), actual)
        if text:
            differing.append(f"{name}: {text}")
    if status != wanted:
        differing.append(f"exit status {status}, expected {wanted}")
    assert not differing, "\n".join(differing + [f"if it is right now: tests/cli/run --bless {folder.name}"])


def blessed(expected, actual):
    """The text of `actual`, in which each line of `expected` that still holds stays as it is, with its placeholders.

    A shortest way from one list of lines to the other: every line that comes or goes costs 1. A line `…` takes lines
    for a little more, so that it keeps what it stood for and swallows no line that is new beside it.
    """
    old, new = expected.splitlines(), without_remarks(expected, actual).splitlines()
    ways = {(0, 0): (0, ())}  # (lines of old, lines of new) that are done: the cost, and the lines so far

    def reach(at, cost, lines):
        if at not in ways or cost < ways[at][0]:
            ways[at] = (cost, lines)

    for i in range(len(old) + 1):
        for j in range(len(new) + 1):
            cost, lines = ways[i, j]
            if i < len(old):
                is_any = old[i] == "…"
                reach((i + 1, j), cost + 1, lines)
                if is_any:
                    for end in range(j + 1, len(new) + 1):
                        reach((i + 1, end), cost + 1.01 * (end - j), (*lines, "…"))
                elif j < len(new) and re.fullmatch(line_pattern(old[i], False), new[j] + "\n"):
                    reach((i + 1, j + 1), cost, (*lines, old[i]))
            if j < len(new):
                reach((i, j + 1), cost + 1, (*lines, new[j]))
    return "".join(f"{line}\n" for line in ways[len(old), len(new)][1])


def bless_file(path, actual):
    """An expectation that still holds keeps its placeholders."""
    if path.exists() and mismatch(path.read_text(), actual) is None:
        return
    if actual:
        path.write_text(blessed(read(path), actual))
    elif path.exists():
        path.unlink()


def blocks(text):
    """Yields (line number, info words, text) for every fenced block of a page."""
    for match in re.finditer(r"^```([^\n`]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 1, match[1].split(), match[2]


def write_block(shell, words, text):
    """```json file=PATH: what the reader is told to put into a file."""
    for word in words:
        if word.startswith("file="):
            path = shell.work / word.removeprefix("file=")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def console_steps(text):
    """[(command, expected output)] of a ```console block."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        elif steps and line.startswith("> ") and steps[-1][0].endswith("\\"):
            steps[-1] = (f"{steps[-1][0]}\n{line[2:]}", "")
        elif steps:
            steps[-1] = (steps[-1][0], f"{steps[-1][1]}{line}\n")
    return steps


def run_block(shell, steps, any_number):
    """Commands of one block of a page; what a command shows on a terminal must be what the page says."""
    for command, expected in steps:
        if command.startswith("cd "):
            shell.work = shell.work / command.removeprefix("cd ")
            continue
        status, out, _ = shell.run(command, merged=True)
        assert status < 126, f"$ {command}\nexit status {status}:\n{indent(out)}"
        text = mismatch(expected, out, any_number)
        assert text is None, f"$ {command}\n{text}"


def checkout_copy(folder):
    """What a reader has in the checkout, where pages are tried: the trace set, build/ and .venv."""
    for name in ("definitions", "workloads", "solutions", "traces", "docs", "python"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name)
    (folder / "build").symlink_to(BUILD)
    if (ROOT / ".venv").exists():
        (folder / ".venv").symlink_to(ROOT / ".venv")
