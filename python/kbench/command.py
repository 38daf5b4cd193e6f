"""Runs the program. Which options a command has is asked of the program itself."""
from __future__ import annotations

import difflib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any, Callable, Collection, Mapping


class Failed(Exception):
    """The program's own text. `status` is its exit status: 2 wrong input or usage, 3 environment, 4 nothing was judged."""

    def __init__(self, text: str, status: int):
        super().__init__(text, status)
        self.status = status

    def __str__(self) -> str:
        return self.args[0]


def program() -> str:
    """Path of the program: the variable KBENCH, else beside this interpreter, else in PATH. Raises Failed (status 3)."""
    given = os.environ.get("KBENCH")
    for place in [given] if given else [os.path.join(sys.prefix, "bin", "kbench"), "kbench"]:
        if found := shutil.which(place):
            return found
    where = f"KBENCH={given} is no program" if given else f"neither in {sys.prefix}/bin nor in PATH; KBENCH may name it"
    raise Failed(f"the program kbench is not found: {where}", 3)


@functools.lru_cache(maxsize=None)
def _options(executable: str, command: str) -> frozenset[str]:
    """The long options of a command and of all commands, as keywords: no_cache for --no-cache."""
    text = "".join(subprocess.run([executable, *words, "--help"], capture_output=True, text=True, check=True).stdout
                   for words in ([], [command]))
    names = re.findall(r"--([a-z0-9-]+)", " ".join(re.findall(r"^  (-\S+)", text, re.MULTILINE)))
    return frozenset(name.replace("-", "_") for name in names) - {"help", "version"}


def arguments(command: str, keywords: Mapping[str, Any], taken: Collection[str] = ()) -> list[str]:
    """The command line of keywords: no_cache=True is --no-cache, definition=["a", "b"] two --definition, import_ --import.

    None leaves an option out, and so does False, which is --no-X where there is such an option. `taken` are options
    that the caller sets itself. An unknown keyword is a TypeError that names the nearest one.
    """
    known = _options(program(), command).difference(taken)
    words: list[str] = []
    for keyword, value in keywords.items():
        name = keyword.rstrip("_")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"kbench {command} --help has them all"
            raise TypeError(f"kbench.{command}() has no keyword {keyword!r}; {hint}")
        if value is False and f"no_{name}" in known:
            name, value = f"no_{name}", True
        flag = "--" + name.replace("_", "-")
        if value is None or isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += [f"{flag}={one}" for one in (value if isinstance(value, (list, tuple, set)) else [value])]
    return words


def call(command: str, *words: str, good: Collection[int] = (0, 1),
         watch: Callable[[], None] = lambda: None) -> subprocess.CompletedProcess[str]:
    """Runs a command. Raises Failed where its exit status is not `good`, and KeyboardInterrupt where ^C ended it.

    The program is in a session of its own, so that each ^C reaches it once, from here: the first one lets it finish
    the record in hand, a second one ends it at once. `watch` is called some ten times a second meanwhile.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:
        process = subprocess.Popen([program(), command, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=log,
                                   start_new_session=True)
        _wait(process, watch)
        texts = [file.read().decode("utf-8", "replace") for file in (output, log) if file.seek(0) == 0]
    done = subprocess.CompletedProcess(words, process.returncode, *texts)
    if done.returncode in (130, -signal.SIGINT):
        raise KeyboardInterrupt
    if done.returncode not in good:
        raise Failed(done.stderr.strip() or f"kbench {command} ended with status {done.returncode}", done.returncode)
    return done


def _wait(process: subprocess.Popen[bytes], watch: Callable[[], None]) -> None:
    """Waits for the end. ^C, and what `watch` raises, ends the program and is raised when it has ended."""
    raised: BaseException | None = None
    while process.poll() is None:
        try:
            if raised is None:
                watch()
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        except BaseException as error:
            raised = raised or error
            process.send_signal(signal.SIGINT)
    if raised is not None:
        raise raised
    watch()
