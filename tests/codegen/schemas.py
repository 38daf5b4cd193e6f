"""Schemas of custom operators that kbench accepts: every type, every form of results, awkward names. No chance is
in it: the same list every time."""

ONE = ["Tensor", "int", "SymInt", "float", "bool", "str", "Scalar", "ScalarType", "MemoryFormat", "Device"]
LISTS = ["Tensor[]", "Tensor[2]", "Tensor?[]", "int[]", "int[3]", "SymInt[]", "SymInt[2]", "float[]", "float[2]",
         "bool[3]"]
# ExecuTorch's codegen takes these and writes what does not compile.
NESTED = ["str[]", "Scalar[]", "ScalarType[]", "MemoryFormat[]", "Device[]", "int?[]", "float?[]", "bool?[]",
          "int[][]", "int[2][]", "float[][]", "Tensor[][]", "str?[]", "Tensor?[]?", "int?[]?", "Tensor[]?[]"]
TYPES = ONE + [f"{one}?" for one in ONE] + LISTS + [f"{one}?" for one in LISTS if one != "Tensor?[]"] + NESTED

DEFAULTS = ["int k=1", "int k=-1", "SymInt k=0", "int reduction=Mean", "float x=1", "float x=1e-05", "float x=-inf",
            "bool b=True", "Scalar s=1", "Scalar s=0.5", 'str s="none"', 'str s="a, b"', "ScalarType t=long",
            "MemoryFormat m=contiguous_format", "int? k=None", "int? k=3", "Tensor? t=None", "str? s=None",
            "ScalarType? t=long", "int[] k=[]", "int[] k=[1,1]", "int[2] k=1", "int[2] k=[0,1]", "int[1]? k=None",
            "float[] f=[0.5,1]", "bool[2] b=[True,False]"]

# What can follow a name: arguments and results.
FORMS = ["(Tensor x) -> Tensor", "() -> Tensor", "(Tensor x) -> (Tensor, Tensor)",
         "(Tensor x) -> (Tensor values, Tensor indices, Tensor rest)", "(*, Tensor k) -> Tensor",
         "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", "(*, Tensor(a!) out) -> Tensor(a!)",
         "(Tensor x, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)",
         "(Tensor x, *, Tensor(a!) o, Tensor(b!) p, Tensor(c!) q) -> (Tensor(a!), Tensor(b!), Tensor(c!))",
         "(Tensor x, *, Tensor(a!)[] out) -> ()", "(Tensor x, *, Tensor(a!)[] o, Tensor(b!)[] p) -> ()",
         "(Tensor x, *, Tensor(a!) o, Tensor(b!)[] p) -> ()",
         "(Tensor x, *, Tensor(a!) out, Tensor(b!) _scratch_t) -> Tensor(a!)",
         "(Tensor x, *, Tensor(a!) o, Tensor(b!) p, Tensor(c!) _scratch_t) -> (Tensor(a!), Tensor(b!))",
         "(Tensor x, Tensor(b!) cache, *, Tensor(a!) out) -> Tensor(a!)",
         "(Tensor x, Tensor(b!)[] caches, *, Tensor(a!) out) -> Tensor(a!)",
         "(Tensor x, Tensor(b!)? cache, *, Tensor(a!) out) -> Tensor(a!)",
         "(Tensor x, Tensor(a!) y) -> ()", "(Tensor x, Tensor(a!) y) -> Tensor", "(Tensor(a) x) -> Tensor(a)",
         "(Tensor x, Tensor(a!) y) -> (Tensor, Tensor)", "(int k, *, Tensor(a!) out) -> Tensor(a!)"]
IN_PLACE = ["(Tensor(a!) self) -> Tensor(a!)", "(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
            "(Tensor(a!)[] self) -> ()"]

# Keywords of C++ that Python does not have, and names that the generated code uses itself.
KEYWORDS = ["alignas", "auto", "bool", "case", "catch", "char", "const", "constexpr", "decltype", "default", "delete",
            "do", "double", "enum", "explicit", "export", "extern", "float", "friend", "goto", "inline", "int", "long",
            "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "register", "requires",
            "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "typedef",
            "typename", "union", "using", "virtual", "void", "volatile", "xor", "co_await", "char8_t", "concept"]
OWN = ["context", "stack", "table", "arg0", "arg1", "Function", "results", "result", "error", "kbench", "std", "torch",
       "Tensor", "Span", "EValue", "int64_t", "registered", "kernels", "call", "fail", "find"]
MACROS = ["NULL", "EOF", "errno", "stdin", "INFINITY", "INT_MAX", "linux", "__LINE__", "offsetof"]


def out(name, arguments):
    return f"{name}({arguments}, *, Tensor(a!) out) -> Tensor(a!)"


def of_types():
    for i, one in enumerate(TYPES):
        yield out(f"types::a{i}.out", f"Tensor self, {one} x")
        yield f"types::f{i}({one} x, Tensor self) -> Tensor"
    yield out("types::all.out", ", ".join(f"{one} x{i}" for i, one in enumerate(TYPES)))
    for i, one in enumerate(DEFAULTS):
        yield out(f"defaults::d{i}.out", f"Tensor self, {one}")


def of_forms():
    for i, form in enumerate(FORMS):
        yield f"forms::f{i}{'.out' if '*' in form and '!) ' in form else ''}{form}"
    for i, form in enumerate(IN_PLACE):
        yield f"forms::f{i}_{form}"
    yield "forms::__and__(Tensor self, Tensor other) -> Tensor"
    yield "forms::__iand__(Tensor(a!) self, Tensor other) -> Tensor(a!)"


def of_names():
    for word in [*KEYWORDS, *MACROS]:
        yield out(f"names::{word}.out", f"Tensor {word}, int[] {word}_s")
    yield out("names::words.out", ", ".join(f"Tensor {word}" for word in KEYWORDS))
    for word in OWN:
        yield out(f"own::{word}.out", f"Tensor {word}, Tensor? more")
        yield f"own::{word}(Tensor {word}, int[] more) -> Tensor"
    yield out("own::all.out", ", ".join(f"Tensor {word}" for word in [*OWN, "_"]))
    # Where C++ has another use for a name it gets a "_", which is another argument's name already.
    yield out("twice::a.out", "Tensor default, Tensor default_, Tensor context, Tensor context_, int context__")
    yield "twice::delete(Tensor x) -> Tensor"
    yield "twice::delete_(Tensor(a!) self) -> Tensor(a!)"
    yield "twice::new(Tensor(a!) self, Tensor x) -> Tensor"
    yield "twice::new_(Tensor(a!) self, Tensor x) -> Tensor(a!)"
    for space in ("class", "std", "torch", "executor", "at", "kbench", "native", "c10"):
        yield out(f"{space}::f.out", "Tensor x, int? k, str s, Tensor[] list")
        yield f"{space}::two(Tensor x) -> (Tensor, Tensor)"


def of_overloads():
    """Several that are one function in C++, and several that have one name in it."""
    for overload, one in (("a_out", "int"), ("b_out", "SymInt"), ("c_out", "int")):
        yield out(f"overloads::f.{overload}", f"Tensor x, {one} k")
    for overload, one in (("", "int[]"), (".a", "int[2]"), (".b", "SymInt[]"), (".c", "SymInt[4]")):
        yield f"overloads::g{overload}(Tensor x, {one} k) -> Tensor"
    yield "overloads::g_a(Tensor x, int[] k) -> Tensor"
    yield out("overloads::f_outf_b.out", "Tensor x, int k")
    yield out("a_b::c.out", "Tensor x")
    yield out("a::b_c.out", "Tensor x")
    yield out("a::b.c_out", "Tensor x")
    yield out("a::_b__c.out", "Tensor x")


def all_schemas():
    return [*of_types(), *of_forms(), *of_names(), *of_overloads()]
