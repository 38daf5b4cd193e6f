"""What an importer is given, what it answers, and drafts: records on their way from the foreign schema to kbench's."""
import copy
import json


class Document:
    """An object of a foreign file of JSON or YAML: the file, an element of its array, or a line of a .jsonl file.

    A place in it is a tuple of keys and indices: ("inputs", "x", "shape", 0).
    """

    def __init__(self, index, file, value, problem=""):
        self.index, self.file, self.value, self.problem = index, file, value, problem
        self.kind = None

    @property
    def wanted(self):
        return self.file.wanted


class File:
    """A foreign file. One that is not `wanted` stands beside a wanted one and only explains it. `text` is that of a
    file of Python, else None."""

    def __init__(self, index, path, wanted, text=None):
        self.index, self.path, self.wanted, self.text = index, path, wanted, text
        self.folder, _, self.name = path.rpartition("/")


class Work:
    """One import: files, documents and the known Definitions on one side, records and notes on the other."""

    def __init__(self, request, ask):
        self.ask = ask
        self.run_init, self.dtypes = request["run_init"], request["dtypes"]
        self.files = [File(i, **one) for i, one in enumerate(request["files"])]
        self.documents = [Document(i, self.files[one["file"]], one.get("value"), one.get("problem", ""))
                          for i, one in enumerate(request["documents"])]
        self.current = request["current"]
        self.known = {one["name"]: one for one in request["known"]}
        self.notes, self.records, self._made = [], [], {}
        self.readable = self.left_out = self.unknown = 0

    def answer(self):
        return {"readable": self.readable, "left_out": self.left_out, "unknown": self.unknown,
                "notes": [note for note in self.notes if note], "records": self.records}

    def definition(self, name):
        """The last Definition of that name in this import, else a known one; None where there is none."""
        return self._made.get(name, self.known.get(name))

    def note(self, level, of, message, hint="", at=None, index=0):
        """`of` is a document, and `at` a place in it, of a text with the byte `index`; or a file, and `at` a byte of it,
        None for none. Returns a handle for forget()."""
        if not of.wanted:
            return None
        said = {"level": level, "message": message, "hint": hint}
        if isinstance(of, Document):
            said.update(document=of.index, pointer=pointer(at or ()), index=index)
        else:
            said.update(file=of.index, offset=-1 if at is None else at)
        self.notes.append(said)
        return len(self.notes) - 1

    def forget(self, handle):
        if handle is not None:
            self.notes[handle] = None

    def leave_out(self, of, message, hint="", at=None):
        """An error about a record that is not carried over."""
        self.left_out += of.wanted
        return self.note("error", of, message, hint, at)

    def add(self, kind, of, value, **more):
        """A record of a file or document. What `more` may have: src/cli/import/answer.cpp."""
        place = {"document": of.index} if isinstance(of, Document) else {"file": of.index}
        self.records.append({"kind": kind, **place, **more, "record": json.dumps(value)})
        if kind == "definition" and not more.get("is_bad"):
            self._made[text_of(value, "name")] = value

    def add_workload(self, of, definition, workload, **more):
        """A workload that was made: kbench gives it the uuid that follows from its Definition, and from made_of=…, which
        tells its workloads apart."""
        self.add("trace", of, {"definition": definition, "workload": {**workload, "uuid": "made"}}, **more)


class Draft:
    """A document that becomes a record: its copy `value` is edited in place.

    Places are those of `value`; where a key got another name, moved() says so, and what is said of it points to what the
    user wrote. A value of which a mistake is reported is broken(): kbench says nothing more of it.
    """

    def __init__(self, work, document):
        self.work, self.document = work, document
        self.value = copy.deepcopy(document.value)
        self.is_bad = False
        self._moved, self._broken = {}, []

    def moved(self, new, old):
        self._moved[new] = self.origin(old)

    def broken(self, at):
        self._broken.append(pointer(at))

    def origin(self, at):
        for length in range(len(at), -1, -1):
            if at[:length] in self._moved:
                return self._moved[at[:length]] + at[length:]
        return at

    def error(self, at, message, hint=""):
        self.is_bad = True
        return self._note("error", at, message, hint)

    def warning(self, at, message, hint="", index=0):
        return self._note("warning", at, message, hint, index)

    def info(self, at, message, hint="", index=0):
        return self._note("info", at, message, hint, index)

    def _note(self, level, at, message, hint, index=0):
        return self.work.note(level, self.document, message, hint, self.origin(at), index)

    def add(self, kind, **more):
        if self.document.wanted or kind == "definition":
            moved = {pointer(new): pointer(old) for new, old in self._moved.items()}
            self.work.add(kind, self.document, self.value, moved=moved, broken=self._broken, is_bad=self.is_bad, **more)

    def rename(self, at, old, new):
        """Another name for a key of the object there, in the same place."""
        owner = look(self.value, *at)
        items = [(new if key == old else key, one) for key, one in owner.items()]
        owner.clear()
        owner.update(items)
        self.moved((*at, new), (*at, old))

    def wrap(self, key, more):
        """The record becomes what stands behind `key` of a new one, beside what is in `more`."""
        self.value = {**more, key: self.value}
        self._moved = {(key,): (), **{(key, *new): old for new, old in self._moved.items()}}
        self._broken = [f"/{key}{one}" for one in self._broken]

    def drop(self, at, key, hint):
        """Leaves a key out, with a warning where it says anything."""
        owner = look(self.value, *at)
        if not isinstance(owner, dict) or key not in owner:
            return None
        handle = None
        if not is_empty(owner[key]):
            handle = self.warning((*at, key), f'"{key}" is not carried over', hint)
        del owner[key]
        return handle


def read_records(work, kinds, convert):
    """Reads documents: kinds(work, document) is "definition", "solution", "trace", "ignored" or None, and
    convert[kind](draft) edits a draft and adds it."""
    work.readable = len(work.documents)
    for document in work.documents:
        document.kind = kinds(work, document)
        if document.kind is None:
            work.unknown += 1
            work.leave_out(document, "is no definition, workload or solution of this format: it is left out",
                           "docs/import.md says which keys each of them has")
    for kind, edit in convert.items():
        for document in work.documents:
            if document.kind == kind:
                attempt(work, document, lambda one: edit(Draft(work, one)))


def attempt(work, of, edit):
    """Calls edit(of), a document or a file. What nobody foresaw in it is no reason to leave out others."""
    try:
        edit(of)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        work.leave_out(of, f"is left out: its form is none of this format: {type(error).__name__}: {error}")


def look(value, *keys):
    """What stands behind these keys, None where there is nothing, or no object on the way."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(value, *keys):
    """A text that stands there, "" for anything else."""
    found = look(value, *keys)
    return found if isinstance(found, str) else ""


def section(value, *keys):
    """The pairs of an object that stands there; none of anything else."""
    found = look(value, *keys)
    return list(found.items()) if isinstance(found, dict) else []


def is_empty(value):
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def pointer(at):
    """RFC 6901."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in at)


def whole_number(value):
    """The integer that FlashInfer-Bench reads there: of 4, "4", 4.0 and "4.0"; None of anything else."""
    if isinstance(value, str):
        digits, dot, rest = value.strip().replace("_", "").partition(".")
        is_whole = digits.lstrip("+-").isdecimal() and (not dot or (rest and not rest.strip("0")))
        return int(digits) if is_whole else None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole else None
