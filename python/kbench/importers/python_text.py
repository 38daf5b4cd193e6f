"""What the text of a module in Python says, without running it."""
import ast
import builtins
import functools
import io
import re
import tokenize
import warnings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


LONGEST = 100_000


def parse(text):
    """The module's tree, and "" and 0; or None, why it is no Python and at which byte."""
    if len(text) > LONGEST:  # CPython takes minutes for an f-string of 900 kB
        return None, f"it has more than {LONGEST} characters", 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text), "", 0
    except SyntaxError as error:
        column = len((error.text or "")[:max((error.offset or 1) - 1, 0)].encode())
        return None, error.msg, offset_of(text, error.lineno or 1, column)
    except UnicodeEncodeError:
        return None, "it is not UTF-8", 0
    except (ValueError, MemoryError, RecursionError) as error:
        return None, str(error) or "it is nested too deep", 0


def offset_of(text, line, column):
    """The byte of a place as `ast` says it: lines from 1, columns in bytes from 0."""
    starts = _line_starts(text)
    return starts[min(line, len(starts)) - 1] + column


@functools.lru_cache(maxsize=1)
def _line_starts(text):
    ends = re.finditer(rb"\r\n?|\n", text.encode("utf-8", "surrogatepass"))
    return [0, *(one.end() for one in ends)]


def offset_of_text(text, index):
    """The byte of a character."""
    return len(text[:index].encode("utf-8", "surrogatepass"))


def functions(tree):
    """Those of the module's top level."""
    return [node for node in tree.body if isinstance(node, FUNCTIONS)] if tree else []


def defines(text, name):
    return any(one.name == name for one in functions(parse(text)[0]))


def imports(text, module):
    return f"import {module}" in text or f"from {module} " in text


def undefined_names(text):
    """(name, byte of its first use) of names that are only ever called or looked into, and that nothing defines: the
    files which a reference was taken from did. What is used in other ways is not judged."""
    tree = parse(text)[0]
    if tree is None:
        return []
    used, defined = {}, set(dir(builtins))
    for node in ast.walk(tree):
        reached = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Attribute) else None
        if isinstance(reached, ast.Name):
            at = offset_of(text, reached.lineno, reached.col_offset)
            used[reached.id] = min(at, used.get(reached.id, at))
            reached.id = ""  # is no other use
    for node in ast.walk(tree):
        defined.update(_names_of(node))
    return sorted(((name, at) for name, at in used.items() if name not in defined), key=lambda pair: pair[1])


def _names_of(node):
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).split(".")[0]]
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
        return [node.name]
    return getattr(node, "names", []) if isinstance(node, (ast.Global, ast.Nonlocal)) else []


class Parameter:
    """Of a function. `kind`: "positional", "var_positional", "keyword" or "var_keyword"."""

    def __init__(self, name, kind, has_default=False):
        self.name, self.kind, self.has_default = name, kind, has_default

    @property
    def is_named(self):
        return self.kind in ("positional", "keyword")


def parameters(function):
    said = function.args
    positional = said.posonlyargs + said.args
    first_default = len(positional) - len(said.defaults)
    found = [Parameter(one.arg, "positional", i >= first_default) for i, one in enumerate(positional)]
    found += [Parameter(said.vararg.arg, "var_positional")] if said.vararg else []
    found += [Parameter(one.arg, "keyword", default is not None)
              for one, default in zip(said.kwonlyargs, said.kw_defaults)]
    return found + ([Parameter(said.kwarg.arg, "var_keyword")] if said.kwarg else [])


def on_the_cpu(text):
    """The text where "cuda" and "cuda:0", as strings of their own, are "cpu"."""
    lines = io.StringIO(text).readlines()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    for token in reversed(tokens):
        if token.type == tokenize.STRING and token.string[1:-1] in ("cuda", "cuda:0"):
            (row, begin), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:begin] + '"cpu"' + lines[row - 1][end:]
    return "".join(lines)


def with_line_break(text):
    return text if text.endswith("\n") else text + "\n"


def tidy_name(text):
    """A part of a name: "19_ReLU" becomes "19_relu"."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
