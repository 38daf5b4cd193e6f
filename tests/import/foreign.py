"""Foreign texts for tests of one format each, as kbench hands them to the importer."""

import json

import work


class Imported:
    """What the importer answers: `notes` as "level: message", and the records by their kinds."""

    def __init__(self, answer):
        self.said = answer["notes"]
        self.notes = [f"{one['level']}: {one['message']}" for one in self.said]
        self.left_out = answer["left_out"] + sum(bool(one.get("is_bad")) for one in answer["records"])
        good = [one for one in answer["records"] if not one.get("is_bad")]
        self.definitions, self.solutions, self.traces = (
            [json.loads(one["record"]) for one in good if one["kind"] == kind]
            for kind in ("definition", "solution", "trace"))

    def has(self, text):
        return any(text in one for one in self.notes)


def read_texts(module, files, known=(), answers=()):
    """`files` is {path: text of JSON, of lines of JSON, or of Python}; `answers` are kbench's to what is asked."""
    documents = []
    for index, (path, text) in enumerate(files.items()):
        for one in text.splitlines() if path.endswith(".jsonl") else [text] if path.endswith(".json") else []:
            value = json.loads(one)
            documents += [{"file": index, "value": item} for item in (value if isinstance(value, list) else [value])]
    said = iter(answers)
    job = work.Work({"run_init": bool(answers), "dtypes": {"float32": 32, "int64": 64}, "current": "/", "known": list(known),
                     "files": [{"path": path, "wanted": True, "text": text} for path, text in files.items()],
                     "documents": documents}, lambda question: next(said))
    module.read(job)
    return Imported(job.answer())
