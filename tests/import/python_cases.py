"""What is read in the text of modules: names, functions, relations of lengths; problems of KernelBench."""

import ast

import definitions
import kernelbench
import lengths
import python_text
from foreign import read_texts

A_AND_B = {"a": "a", "b": "b"}


def undefined_in(text):
    return [name for name, _ in python_text.undefined_names(text)]


def helpers_and_modules_that_are_not_there_are_undefined():
    text = "import torch\ndef run(a):\n    return helper(a) / math.log(2)\n"
    found = python_text.undefined_names(text)
    assert [name for name, _ in found] == ["helper", "math"]
    assert text[found[0][1]:].startswith("helper(a)")


def what_is_defined_anywhere_is_there():
    for text in ("import torch.nn.functional as F\nF.silu(F.ones(1))\n", "from math import log\nlog(2)\n",
                 "from a.b import c\nc(2)\n", "def f(x):\n    return f(x.T)\n",
                 "def run(a, *, b=1, **c):\n    a.x, b.x, c.get(1)\n", "g = lambda x: x.y\ng(1)\n",
                 "for i, j in z:\n    i.x(j.x())\n", "class A: pass\nA()\n", "with open('x') as f:\n    f.read()\n",
                 "def run(a):\n    def inner(b):\n        return b\n    return inner(a)\n",
                 "def run(a):\n    if (a): return (1)\n    assert (a)\n    raise ValueError('x')\n",
                 "try:\n    a = 1\nexcept ValueError as e:\n    e.args\n", "x = [y.z for y in range(3)]\n",
                 "def run(a):\n    return a.missing(1)\n", "x = helper\nhelper(1)\n"):
        assert not undefined_in(text), (text, undefined_in(text))


def of_no_python_nothing_is_said():
    assert not undefined_in("def run(:\n  f('")
    assert python_text.parse("x = (\n")[1]
    for hostile in ("(" * 1000, "-" * 100000 + "1", "x" + ".x" * 100000, "\0", "a\r\n" * 3 + "b b"):
        python_text.parse(hostile)


def places_are_bytes():
    text = "x = 'ü'\nclass Model: pass\n"
    node = python_text.parse(text)[0].body[1]
    assert text.encode()[python_text.offset_of(text, node.lineno, node.col_offset):].startswith(b"class")
    assert text.encode()[python_text.parse("y = 1\n'ü' x x\n")[2]:]


def alias(text, inputs):
    function, why = definitions.meant_function(ast.parse(text), inputs)
    return definitions.run_alias(function, inputs)[0] if function else why


def a_run_hands_on_what_the_function_takes():
    for header, call in (("f(a, b)", "a, b"), ("f(b, a)", "b, a"), ("f(a, c=None, b=1)", "a, b=b"),
                         ("f(a, *, b)", "a, b=b"), ("f(a, **others)", "a, b=b"), ("f(a)", "a")):
        assert alias(f"def {header}:\n    return a\n", A_AND_B) == f"def run(a, b):\n    return f({call})\n", header
    assert alias("def f(x, b):\n    return x\n", {"a": "x", "b": "b"}) == "def run(a, b):\n    return f(a, b)\n"
    assert definitions.run_alias(ast.parse("def f(a): pass").body[0], A_AND_B)[1] == ["b"]


def one_function_is_meant_or_none():
    helped = "def h(a):\n    return a\n\ndef f(a, b):\n    return h(a) + b\n"
    assert alias(helped, A_AND_B) == "def run(a, b):\n    return f(a, b)\n"
    assert alias("def f(a):\n    return a\n\ndef g(b):\n    return b\n", A_AND_B) == "each of these could be meant: f, g"
    assert alias("def f(a, c):\n    return a\n", A_AND_B) == 'f() needs "c", which is no input'
    assert alias("x = 1\n", A_AND_B) == "the reference defines no function"


def a_function_does_without_defaults_and_strangers():
    function = ast.parse("def f(a, b=1, *, c, d=2):\n    return a\n").body[0]
    assert [definitions.can_do_without(function, name) for name in "abcde"] == [False, True, False, True, True]


def relations_of_lengths():
    n, m = ("n", [4, 8, 16], "x.shape[0]"), ("m", [3, 3, 5], "w.shape[0]")
    for wanted, relation in (([4, 8, 16], ("n", "x.shape[0]")), ([2, 4, 8], ("n // 2", "x.shape[0] // 2")),
                             ([12, 24, 48], ("n * 3", "x.shape[0] * 3")), ([5, 9, 17], ("n + 1", "x.shape[0] + 1")),
                             ([2, 6, 12], ("n - m + 1", "x.shape[0] - w.shape[0] + 1")), ([1, 5, 2], None)):
        assert lengths.relation_for([n, m], wanted) == relation, wanted
    assert lengths.relation_for([("n", [4, 8], "")], [4, 8]) is None


def the_cpu_takes_the_place_of_a_gpu():
    text = 'x = f("cuda", device=\'cuda:0\')  # "cuda"\ny = "cuda graphs"\n'
    assert python_text.on_the_cpu(text) == 'x = f("cpu", device="cpu")  # "cuda"\ny = "cuda graphs"\n'


def answers_are_for_problems_by_their_names():
    relu, linear = kernelbench.Place("19_relu", "1"), kernelbench.Place("3_linear", "2")
    assert relu.is_answered_by("level_1_problem_19_sample_0_kernel") and relu.is_answered_by("19_relu_new")
    assert relu.is_answered_by("problem_19") and not linear.is_answered_by("level_1_problem_3")
    known = {"name": "kernelbench_l1_19_relu_d128", "op_type": "kernelbench", "inputs": {"x": {}}, "reference": "pass"}
    text = "import triton\nclass ModelNew: pass\n"
    imported = read_texts(kernelbench, {"runs/first/level_1_problem_19_sample_0.py": text, "runs/first/20_x.py": text},
                          known=[known])
    one, = imported.solutions
    assert one["name"] == "first_level_1_problem_19_sample_0" and one["definition"] == known["name"]
    assert one["spec"]["language"] == "triton" and [source["path"] for source in one["sources"]] == \
        ["main.py", "kernelbench_problem.py"]
    assert imported.has("error: is left out: no problem is known that it answers")
