"""Runs the program."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any, Callable, Collection, Mapping


EVERYWHERE: list[str] = []  # options of the program that stand before each of its commands: --trusted-keys FILE


class Failed(Exception):
    """The program's own text. `status` is its exit status: 2 wrong input or usage, 3 environment."""

    def __init__(self, text: str, status: int):
        super().__init__(text, status)
        self.status = status

    def __str__(self) -> str:
        return self.args[0]


def program() -> str:
    """Path of the program: the variable KBENCH, else beside this interpreter, else in PATH. Raises Failed (status 3)."""
    given = os.environ.get("KBENCH")
    for place in [given] if given else [os.path.join(sys.prefix, "bin", "kbench"), "kbench"]:
        if found := shutil.which(place, path=os.pathsep.join(filter(os.path.isabs, os.get_exec_path()))):
            return found
    where = f"KBENCH={given} is no program" if given else f"neither in {sys.prefix}/bin nor in PATH; KBENCH may name it"
    raise Failed(f"the program kbench is not found: {where}", 3)


def arguments(options: Mapping[str, Any]) -> list[str]:
    """The command line of keywords: no_cache=True is --no-cache, definition=["a", "b"] two --definition, import_ --import.

    None and False leave an option out. Names and values are the program's to judge: it names the nearest option.
    """
    words: list[str] = []
    for keyword, value in options.items():
        flag = "--" + keyword.rstrip("_").replace("_", "-")
        if value is None or isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += [f"{flag}={one}" for one in (value if isinstance(value, (list, tuple, set)) else [value])]
    return words


def call(command: str, *words: str | os.PathLike[str], good: Collection[int] = (0, 1, 4),
         each: Callable[[bytes], None] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command. Raises Failed where its exit status is not `good`, or is 2 or more and nothing is on stdout, and
    KeyboardInterrupt where ^C ended it.

    The program is in a session of its own, so that each ^C reaches it once, from here: the first one lets it finish
    the record in hand, a second one ends it at once. `each` gets the lines of stdout as they come, which may be none.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:
        process = subprocess.Popen([program(), *EVERYWHERE, command, *arguments(options), *(["--", *words] if words else [])],
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=log, start_new_session=True)
        _wait(process, _reader(output.fileno(), each) if each else lambda: None)
        texts = [file.read().decode("utf-8", "replace") for file in (output, log) if file.seek(0) == 0]
    done = subprocess.CompletedProcess(process.args, process.returncode, *texts)
    if done.returncode in (130, -signal.SIGINT):
        raise KeyboardInterrupt
    if done.returncode not in good or done.returncode > 1 and not done.stdout and not each:
        raise Failed(done.stderr.strip() or f"kbench {command} ended with status {done.returncode}", done.returncode)
    return done


def _reader(file: int, each: Callable[[bytes], None]) -> Callable[[], None]:
    """A function that hands on the whole lines which a file got since its last call."""
    at = 0

    def look() -> None:
        nonlocal at
        text = os.pread(file, os.fstat(file).st_size - at, at)
        end = text.rfind(b"\n") + 1
        at += end
        for line in text[:end].splitlines():
            each(line)
    return look


def _wait(process: subprocess.Popen[bytes], meanwhile: Callable[[], None]) -> None:
    """Waits for the end. ^C, and what `meanwhile` raises, ends the program and is raised when it has ended."""
    raised: BaseException | None = None
    while process.returncode is None:
        try:
            while process.poll() is None:
                if raised is None:
                    meanwhile()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.1)
        except BaseException as error:
            raised = raised or error
            process.send_signal(signal.SIGINT)
    if raised is not None:
        raise raised
    meanwhile()
