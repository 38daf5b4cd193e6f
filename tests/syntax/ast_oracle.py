"""CPython's verdict on many texts: reads a JSON list of {"mode": "exec"|"eval", "text": ...} and
writes a JSON list. Accepted: {"functions": [[name, [parameter, ...]], ...]}; refused: {"error":
message}. Warnings do not count; neither does the depth at which CPython's own recursion ends."""
import ast
import json
import sys
import warnings


def parameters(args):
    """In the order in which they stand in the text."""
    names = [a.arg for a in args.posonlyargs + args.args]
    names += [args.vararg.arg] if args.vararg else []
    names += [a.arg for a in args.kwonlyargs]
    return names + ([args.kwarg.arg] if args.kwarg else [])


def verdict(item):
    try:
        tree = ast.parse(item["text"], mode=item["mode"])
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return {"error": getattr(error, "msg", None) or str(error)}
    body = tree.body if item["mode"] == "exec" else []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {"functions": [[f.name, parameters(f.args)] for f in body if isinstance(f, kinds)]}


warnings.simplefilter("ignore")
with open(sys.argv[1], encoding="utf-8") as source:
    items = json.load(source)
with open(sys.argv[2], "w", encoding="utf-8") as sink:
    json.dump([verdict(item) for item in items], sink)
