"""One Python expression for each operation of TTIR that is a value of its operands."""
import re

import numpy as np

from .elements import ELEMENTS, NotEmulated, number, numpy_type
from .numbers import FORMATS


def constant(operation):
    text = operation.text
    if not operation.types:
        return number(text, "i1")
    kind = operation.result_types[0]
    numpy_type(kind, operation)
    dense = re.match(r"dense<(.*)>$", text)
    if kind.shape is None:
        return number(text, kind.element)
    if not dense or '"' in text:
        raise NotEmulated("a constant of this form", operation.place)
    values = [number(value, kind.element) for value in re.findall(r"[^\s,\[\]]+", dense[1])]
    array = np.array(values, ELEMENTS[kind.element])
    return np.broadcast_to(array[0] if len(values) == 1 else array.reshape(kind.shape), kind.shape)


def rounded(text, element):
    return f"round_{element}({text})" if element in FORMATS else text


def arithmetic(form, one_bit=None):
    """Of floats it is rounded to their format."""

    def make(translation, operation, operands):
        element = operation.result_types[0].element
        if element.startswith("f8"):
            raise NotEmulated(f"{operation.name} of {element}, which has no such operation on a device",
                              operation.place)
        chosen = one_bit if one_bit and element == "i1" else form
        return rounded(chosen.format(*operands), element)

    return make


def plain(form):
    return lambda translation, operation, operands: form.format(*operands)


def cast(form):
    """{to} is numpy's type of the result, {r}… rounds to its format."""

    def make(translation, operation, operands):
        source, target = operation.operand_types[0].element, operation.result_types[0]
        text = form.format(*operands, to=numpy_type(target, operation).__name__, source=source)
        return rounded(text, target.element)

    return make


COMPARE = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">=", "ult": "<", "ule": "<=",
           "ugt": ">", "uge": ">="}
FLOAT_COMPARE = {"oeq": "{0} == {1}", "ogt": "{0} > {1}", "oge": "{0} >= {1}", "olt": "{0} < {1}", "ole": "{0} <= {1}",
                 "une": "{0} != {1}", "ord": "({0} == {0}) & ({1} == {1})", "uno": "({0} != {0}) | ({1} != {1})",
                 "one": "({0} < {1}) | ({0} > {1})", "ueq": "~(({0} < {1}) | ({0} > {1}))", "ugt": "~({0} <= {1})",
                 "uge": "~({0} < {1})", "ult": "~({0} >= {1})", "ule": "~({0} > {1})"}


def compare_integers(translation, operation, operands):
    how = operation.text.split(",")[0].strip()
    a, b = operands
    if how[0] == "u" or (how not in ("eq", "ne") and operation.types.endswith("i1")):
        a, b = f"unsigned({a})", f"unsigned({b})"
    return f"{a} {COMPARE[how]} {b}"


def compare_floats(translation, operation, operands):
    how = operation.text.split(",")[0].strip()
    if how not in FLOAT_COMPARE:
        raise NotEmulated(f"{operation.name} {how}", operation.place)
    return FLOAT_COMPARE[how].format(*operands)


def program_axis(form):
    return lambda translation, operation, operands: form.format("xyz".index(operation.text.strip()[0]))


def shaped(form):
    """{shape} is that of the result."""

    def make(translation, operation, operands):
        shape = operation.result_types[0].shape
        return form.format(*operands, shape=shape, axis=operation.attribute("axis"))

    return make


def make_range(translation, operation, operands):
    first, last = operation.attribute("start"), operation.attribute("end")
    return translation.kept(np.arange(int(first), int(last), dtype=np.int32))


def transpose(translation, operation, operands):
    order = re.search(r"order = array<i32: ([\d, ]+)>", operation.text)
    return f"{operands[0]}.transpose({order[1]})"


def add_pointer(translation, operation, operands):
    pointee = operation.result_types[0].pointee
    return f"{operands[0]} + {operands[1]}.astype(int64) * {size_of(pointee, operation)}"


def size_of(element, operation):
    if element.startswith("!tt.ptr"):
        return 8
    if element in FORMATS:
        return FORMATS[element].stored.itemsize
    if element not in ELEMENTS:
        raise NotEmulated(f"a pointer to {element}", operation.place)
    return np.dtype(ELEMENTS[element]).itemsize


def memory_element(pointer, operation):
    element = "ptr" if pointer.pointee.startswith("!tt.ptr") else pointer.pointee
    size_of(element, operation)
    return element


def load(translation, operation, operands):
    pointer = operation.operand_types[0]
    mask, other = (operands[1:] + [None, None])[:2]
    if operation.attribute("isVolatile") == "true":
        translation.synchronises = True
    return f"load({operands[0]}, {mask}, {other}, '{memory_element(pointer, operation)}', {translation.place(operation)})"


def store(translation, operation, operands):
    pointer = operation.operand_types[0]
    mask = operands[2] if len(operands) > 2 else None
    return (f"store({operands[0]}, {operands[1]}, {mask}, '{memory_element(pointer, operation)}', "
            f"{translation.place(operation)})")


def atomic(translation, operation, operands):
    how = operation.text.split(",")[0].strip() if operation.name == "tt.atomic_rmw" else "cas"
    translation.synchronises |= how in ("cas", "exch") or is_used(translation, operation)
    pointer, *values = operands
    element = memory_element(operation.operand_types[0], operation)
    values += [None] * (2 - len(values))
    return f"atomic('{how}', {pointer}, {values[0]}, {values[1]}, '{element}', {translation.place(operation)})"


def is_used(translation, operation):
    name = re.escape(operation.results[0])
    return any(len(re.findall(rf"{name}(?![\w$.\-])", line)) > (line.strip().startswith(operation.results[0] + " ="))
               for line in translation.reader.lines)


def dot(translation, operation, operands):
    left, _ = operation.operand_types
    out, = operation.result_types
    precision = operation.attribute("inputPrecision") or "ieee"
    return f"dot({', '.join(operands[:3])}, '{precision}', '{left.element}', '{out.element}')"


def float_to_float(translation, operation, operands):
    source, target = operation.operand_types[0].element, operation.result_types[0].element
    if target == "f32" and source in FORMATS:
        return operands[0]
    if target in ("f32", "f64"):
        return f"{operands[0]}.astype({'float32' if target == 'f32' else 'float64'})"
    rounding = ", trunc" if operation.attribute("rounding") == "rtz" else ""
    value = f"narrowed({operands[0]})" if source == "f64" else operands[0]
    return f"round_{target}({value}{rounding})"


def bitcast(translation, operation, operands):
    source, target = operation.operand_types[0].element, operation.result_types[0].element
    return f"bitcast({operands[0]}, '{source}', '{target}')"


def device_function(translation, operation, operands):
    symbol = operation.attribute("symbol", r'"[^"]*"').strip('"')
    name = re.sub(r"^__nv_", "", symbol)
    from .operations import DEVICE_FUNCTIONS
    known = name if name in DEVICE_FUNCTIONS else name[:-1]
    if not name.startswith(("fast_",)) and known not in DEVICE_FUNCTIONS:
        raise NotEmulated(f"{symbol} of libdevice", operation.place)
    kind = numpy_type(operation.result_types[0], operation).__name__
    return f"device_function('{known}', {kind}, {', '.join(operands)})"


def inline_assembly(translation, operation, operands):
    found = re.search(r'"((?:[^"\\]|\\.)*)"', operation.text)
    raise NotEmulated(f"inline assembly {found[1][:60] if found else ''}", operation.place)


def asserted(translation, operation, operands):
    message = re.search(r'"((?:[^"\\]|\\.)*)"', operation.text)
    return f"check({operands[0]}, {message[1] if message else ''!r}, {translation.place(operation)})"


def printed(translation, operation, operands):
    prefix = re.search(r'"((?:[^"\\]|\\.)*)"', operation.text)
    return f"show(pid, {prefix[1] if prefix else ''!r}, {', '.join(operands)})"


def unary(function):
    return arithmetic(function + "({0})")


EXPRESSIONS = {
    "arith.addi": arithmetic("{0} + {1}", "{0} ^ {1}"), "arith.subi": arithmetic("{0} - {1}", "{0} ^ {1}"),
    "arith.muli": arithmetic("{0} * {1}", "{0} & {1}"), "arith.andi": plain("{0} & {1}"),
    "arith.ori": plain("{0} | {1}"), "arith.xori": plain("{0} ^ {1}"), "arith.shli": plain("shift_left({0}, {1})"),
    "arith.shrsi": plain("shift_right({0}, {1})"),
    "arith.shrui": plain("shift_right(unsigned({0}), unsigned({1})).view({0}.dtype)"),
    "arith.divsi": plain("divided({0}, {1})"), "arith.remsi": plain("remainder({0}, {1})"),
    "arith.divui": plain("divided(unsigned({0}), unsigned({1})).view({0}.dtype)"),
    "arith.remui": plain("remainder(unsigned({0}), unsigned({1})).view({0}.dtype)"),
    "arith.maxsi": plain("maximum({0}, {1})"), "arith.minsi": plain("minimum({0}, {1})"),
    "arith.maxui": plain("maximum(unsigned({0}), unsigned({1})).view({0}.dtype)"),
    "arith.minui": plain("minimum(unsigned({0}), unsigned({1})).view({0}.dtype)"),
    "arith.cmpi": compare_integers, "arith.cmpf": compare_floats, "arith.select": plain("where({0}, {1}, {2})"),
    "arith.addf": arithmetic("{0} + {1}"), "arith.subf": arithmetic("{0} - {1}"), "arith.mulf": arithmetic("{0} * {1}"),
    "arith.divf": arithmetic("{0} / {1}"), "tt.precise_divf": arithmetic("{0} / {1}"),
    "arith.remf": arithmetic("fmod({0}, {1})"), "arith.negf": plain("-{0}"),
    "arith.maximumf": plain("maximum({0}, {1})"), "arith.minimumf": plain("minimum({0}, {1})"),
    "arith.maxnumf": plain("fmax({0}, {1})"), "arith.minnumf": plain("fmin({0}, {1})"),
    "arith.extsi": cast("extended({0}, {to})"), "arith.extui": cast("unsigned({0}).astype({to})"),
    "arith.trunci": cast("truncated({0}, {to})"), "arith.index_cast": cast("{0}.astype({to})"),
    "arith.sitofp": cast("to_float(extended({0}, None), {to})"), "arith.uitofp": cast("to_float(unsigned({0}), {to})"),
    "arith.fptosi": cast("to_integer({0}, {to})"), "arith.fptoui": cast("to_unsigned({0}, {to})"),
    "arith.extf": float_to_float, "arith.truncf": float_to_float, "tt.fp_to_fp": float_to_float,
    "arith.bitcast": bitcast, "tt.bitcast": bitcast, "tt.int_to_ptr": plain("{0}"), "tt.ptr_to_int": plain("{0}"),
    "math.exp": unary("exp"), "math.exp2": unary("exp2"), "math.log": unary("log"), "math.log2": unary("log2"),
    "math.sin": unary("sin"), "math.cos": unary("cos"), "math.sqrt": unary("sqrt"), "tt.precise_sqrt": unary("sqrt"),
    "math.rsqrt": unary("1 / sqrt"), "math.erf": unary("erf"), "math.floor": unary("floor"), "math.ceil": unary("ceil"),
    "math.absf": plain("abs({0})"), "math.absi": plain("abs({0})"), "math.tanh": unary("tanh"),
    "tt.clampf": lambda translation, operation, operands: clamp(operation, operands),
    "math.fma": lambda translation, operation, operands:
        f"fused_{operation.result_types[0].element}({', '.join(operands)})",
    "tt.mulhiui": plain("high_product({0}, {1})"), "tt.get_program_id": program_axis("pid[{0}]"),
    "tt.get_num_programs": program_axis("grid[{0}]"), "tt.splat": shaped("broadcast_to({0}, {shape})"),
    "tt.unsplat": plain("{0}.reshape(-1)[0]"), "tt.broadcast": shaped("broadcast_to({0}, {shape})"),
    "tt.expand_dims": shaped("expand_dims({0}, {axis})"), "tt.reshape": shaped("{0}.reshape({shape})"),
    "tt.trans": transpose, "tt.cat": plain("concatenate(({0}, {1}))"), "tt.join": plain("stack(({0}, {1}), axis=-1)"),
    "tt.split": plain("{0}[..., 0], {0}[..., 1]"), "tt.make_range": make_range, "tt.addptr": add_pointer,
    "tt.gather": shaped("take_along_axis({0}, {1}, {axis})"), "tt.load": load, "tt.store": store,
    "tt.atomic_rmw": atomic, "tt.atomic_cas": atomic, "tt.dot": dot,
    "tt.extern_elementwise": device_function, "tt.elementwise_inline_asm": inline_assembly, "tt.assert": asserted,
    "tt.print": printed, "ub.poison": lambda translation, operation, operands: poison(operation),
    "tt.histogram": lambda translation, operation, operands: histogram(operation, operands),
}


def clamp(operation, operands):
    keeps = operation.attribute("propagateNan") == "all"
    return "minimum(maximum({0}, {1}), {2})".format(*operands) if keeps else "fmin(fmax({0}, {1}), {2})".format(*operands)


def poison(operation):
    kind = operation.result_types[0]
    return f"zeros({kind.shape or ()}, {numpy_type(kind, operation).__name__})[()]"


def histogram(operation, operands):
    bins = operation.result_types[0].shape[0]
    return f"histogram({', '.join(operands)}, bins={bins})"
