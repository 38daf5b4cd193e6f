#!/usr/bin/env python3
"""Copies the source files of solutions into their JSON, so that each JSON stands alone.

    tools/pack_solution.py [--check] [PATH...]     default: solutions/ and tests/hostile/

A source entry's file is looked for beside the JSON, then in the author's common/ folder, then in
include/kbench/ (kbench_ffi.h, kbench_cuda.h). --check changes nothing and exits 1 when a JSON is out of date. An
entry without a file keeps its content.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def solutions_under(path):
    files = [path] if path.is_file() else sorted(path.rglob("*.json"))
    for file in files:
        record = json.loads(file.read_text())
        if isinstance(record, dict) and "spec" in record and "sources" in record:
            yield file, record


def source_file(solution, name):
    # <author>/<op_type>/<definition>/<solution>.json: common/ lies in the author's folder.
    # tests/hostile/<name>/<name>.json: common/ lies beside the candidate's folder.
    above = [parent / "common" for parent in list(solution.parents)[1:4]]
    folders = [solution.parent, *above, ROOT / "include" / "kbench"]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def packed(solution, record):
    for source in record["sources"]:
        file = source_file(solution, source["path"])
        if file is not None:
            source["content"] = file.read_text()
        elif not source.get("content"):
            sys.exit(f"{solution}: no file for source {source['path']!r}")
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def main(arguments):
    check = "--check" in arguments
    paths = [pathlib.Path(a) for a in arguments if a != "--check"]
    stale = 0
    for path in paths or [ROOT / "solutions", ROOT / "tests" / "hostile"]:
        for solution, record in solutions_under(path):
            text = packed(solution, record)
            if text != solution.read_text():
                stale += 1
                if check:
                    print(f"{solution}: sources differ; run tools/pack_solution.py", file=sys.stderr)
                else:
                    solution.write_text(text)
                    print(f"packed {solution}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
