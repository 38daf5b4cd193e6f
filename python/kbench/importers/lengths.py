"""Lengths that follow from others: expressions of axes (src/problem/constraint_value.cpp judges them later), and relations
that some cases show."""
import ast
import operator

from work import look, text_of, whole_number

MOST = 1 << 63
MOST_STEPS = 1_000_000  # of all expressions of a definition, for all of its workloads
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
             ast.Mod: operator.mod}
COMPARISONS = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
               ast.Gt: operator.gt, ast.GtE: operator.ge}
SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert}


class NoValue(Exception):
    """Why an expression has no value. `is_open`: another workload may give it one."""

    def __init__(self, why, is_open=False):
        super().__init__(why)
        self.is_open = is_open


def is_expression(axis):
    return text_of(axis, "type") == "expr"


class Lengths:
    """Lengths of axes: of the const ones of `axes`, of those that `given` says, of expressions over them, each computed
    once. `like` are other lengths of the same axes."""

    def __init__(self, axes, given=None, like=None):
        self.axes, self.given = axes, given
        self._expressions, self._steps = (like._expressions, like._steps) if like else ({}, [0])
        self._known = {}  # {axis: its length, or the NoValue that says why it has none; None before it is computed}

    def of(self, axis):
        """Raises NoValue. The axes that an expression names come before it, however long a chain of them is; those that
        come back to it, in a circle, find no value."""
        waiting = [axis]
        while waiting:
            name = waiting.pop()
            if name not in self._known:
                tree, names = self._read(name)
                self._known[name] = tree if isinstance(tree, NoValue) else self._tried(lambda: self._step(len(names)))
                waiting += [name, *names] if self._known[name] is None else []
            elif self._known[name] is None:
                self._known[name] = self._tried(lambda: self._value(self._read(name)[0]))
        if isinstance(self._known[axis], NoValue):
            raise self._known[axis].with_traceback(None)
        return self._known[axis]

    def _read(self, axis):
        """Its expression's tree, or the NoValue that says why it has none; the axes in it that are expressions, too."""
        text = text_of(self.axes, axis, "expression")
        if text not in self._expressions:
            tree = self._tried(lambda: ast.parse(text.strip(), mode="eval").body)
            names = () if isinstance(tree, NoValue) else (one.id for one in ast.walk(tree) if isinstance(one, ast.Name))
            self._expressions[text] = tree, [name for name in dict.fromkeys(names) if is_expression(look(self.axes, name))]
        return self._expressions[text]

    @staticmethod
    def _tried(function):
        try:
            return function()
        except NoValue as why:
            return why.with_traceback(None)
        except SyntaxError as error:
            return NoValue(error.msg)
        except (ValueError, MemoryError, RecursionError) as error:
            return NoValue(str(error))

    def _find(self, name):
        for said in (look(self.given, name), look(self.axes, name, "value")):
            if said is not None:
                return whole_number(said)
        value = self._known.get(name)
        return None if isinstance(value, NoValue) else value

    def _step(self, count=1):
        self._steps[0] += count
        if self._steps[0] > MOST_STEPS:
            raise NoValue("the expressions of its definition take too long, for all workloads together")

    def _value(self, node):
        self._step()
        value = self._plain_value(node)
        if not -MOST <= value < MOST:
            raise NoValue("the value exceeds 64 bits")
        return value

    def _plain_value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return int(node.value)
        if isinstance(node, ast.Name):
            value = self._find(node.id)
            if value is None:
                raise NoValue(f"speaks of the values of '{node.id}'", is_open=True)
            return value
        if isinstance(node, ast.UnaryOp):
            return int(SIGNS[type(node.op)](self._value(node.operand)))
        if isinstance(node, ast.BinOp):
            return calculate(node.op, self._value(node.left), self._value(node.right))
        if isinstance(node, ast.IfExp):
            return self._value(node.body if self._value(node.test) else node.orelse)
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.BoolOp):
            return self._decided(node)
        return self._called(node)

    def _compared(self, node):
        values = [self._value(one) for one in (node.left, *node.comparators)]
        if not all(type(op) in COMPARISONS for op in node.ops):
            raise NoValue("it is no integer")
        return int(all(COMPARISONS[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:])))

    def _decided(self, node):
        value = 0
        for one in node.values:
            value = self._value(one)
            if (value != 0) == isinstance(node.op, ast.Or):
                break
        return value

    def _called(self, node):
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if name in ("min", "max") and len(node.args) > 1 or name == "int" and len(node.args) == 1:
            values = [self._value(one) for one in node.args]
            return max(values) if name == "max" else min(values)
        if isinstance(node, (ast.Call, ast.Subscript, ast.Attribute)):
            raise NoValue("calls a function" if isinstance(node, ast.Call) else "speaks of tensor values", is_open=True)
        raise NoValue("it is no integer")


def calculate(op, a, b):
    if isinstance(op, ast.Pow):
        if b < 0:
            raise NoValue("a negative exponent gives no integer")
        if b > 64 and abs(a) > 1:
            raise NoValue("the value exceeds 64 bits")
        return a ** b
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and b == 0:
        raise NoValue("division by zero")
    if isinstance(op, ast.Div):
        if a % b:
            raise NoValue(f"{a} / {b} is no integer; write // to round down")
        return a // b
    if type(op) not in OPERATORS:
        raise NoValue("it is no integer")
    return OPERATORS[type(op)](a, b)


# ---- relations: lengths of one dimension, one a case ----


def is_constant(lengths):
    return all(one == lengths[0] for one in lengths)


def relation_for(axes, wanted):
    """The first of a, a // c, a * c, a + c and a - b + c that gives these lengths in all cases, a and b being axes of
    inputs, (name, lengths, Python for the length or ""): with their names, and in Python. None where none does."""
    usable = [one for one in axes if one[2] and not is_constant(one[1])]
    for name, lengths, python in usable:
        if lengths == wanted:
            return name, python
    for name, lengths, python in usable:
        for sign in ("//", "*", "+"):
            if rest := _by_constant(lengths, sign, wanted):
                return f"{name} {sign} {rest}", f"{python} {sign} {rest}"
    for a, others, a_python in usable:
        for b, taken, b_python in usable:
            rest = wanted[0] - others[0] + taken[0]
            if a != b and all(one == x - y + rest for one, x, y in zip(wanted, others, taken)):
                return f"{a} - {b} + {rest}", f"{a_python} - {b_python} + {rest}"
    return None


def _by_constant(lengths, sign, wanted):
    """The constant that makes `wanted` of `lengths`; 0 where there is none."""
    if sign == "+":
        constant = wanted[0] - lengths[0]
    else:
        larger, smaller = (lengths[0], wanted[0]) if sign == "//" else (wanted[0], lengths[0])
        constant = larger // smaller if smaller else 0
        constant = constant if constant > 1 else 0
    made = {"+": operator.add, "//": operator.floordiv, "*": operator.mul}[sign]
    return constant if constant and all(made(a, constant) == one for a, one in zip(lengths, wanted)) else 0
