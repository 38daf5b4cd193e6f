"""Test cases in Python that count like GoogleTest's: the report is the XML that GoogleTest writes."""

import os
import sys
import time
import traceback
import xml.etree.ElementTree as ElementTree


class Skip(Exception):
    """Raised in a case: its text is the reason."""


class Suite:
    def __init__(self, name):
        self.name = name
        self.cases = []

    def case(self, name, function, *arguments):
        """Runs function(*arguments) as one case. An AssertionError's text, or its traceback where it has none, is the failure."""
        start = time.monotonic()
        failure = skipped = None
        try:
            function(*arguments)
        except Skip as reason:
            skipped = str(reason)
        except AssertionError as error:
            failure = str(error) or traceback.format_exc()  # assert without a text has none
        except Exception:
            failure = traceback.format_exc()
        self.cases.append((name, time.monotonic() - start, failure, skipped))
        if failure:
            print(f"[  FAILED  ] {self.name}.{name}\n{failure}\n", flush=True)

    def finish(self):
        """Writes the report where tools/run_tests looks for it, and returns the exit status."""
        path = os.environ.get("KBENCH_REPORT")
        if path:
            self._write(path)
        failed = sum(1 for case in self.cases if case[2])
        print(f"{self.name}: {len(self.cases)} cases, {failed} failed")
        return 1 if failed or not self.cases else 0

    def _write(self, path):
        root = ElementTree.Element("testsuites")
        suite = ElementTree.SubElement(root, "testsuite", name=self.name)
        for name, seconds, failure, skipped in self.cases:
            case = ElementTree.SubElement(suite, "testcase", name=name, time=f"{seconds:.3f}",
                                          status="run", classname=self.name)
            if failure:
                ElementTree.SubElement(case, "failure", message=_printable(failure))
            if skipped is not None:
                ElementTree.SubElement(case, "skipped", message=_printable(skipped))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        ElementTree.ElementTree(root).write(path)


def _printable(text):
    """XML has no control characters."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
