"""What torchgen and ExecuTorch's codegen make of the same files. For .venv's Python, which has both; reads one
question in JSON from stdin and answers in JSON."""

import json
import pathlib
import sys
import tempfile

import torchgen
import yaml
from torchgen import local
from torchgen.gen import LineLoader, parse_native_yaml
from torchgen.selective_build.selector import SelectiveBuilder

NATIVE = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"
# Names of C++ that each of the two writes in its own way.
SPELLINGS = {"torch::executor::": "", "executorch::aten::": "", "::std::": "std::", "at::": "", " &": "&",
             "::Tensor": "Tensor",
             ",": ", "}


def functions():
    return parse_native_yaml(NATIVE / "native_functions.yaml", NATIVE / "tags.yaml").native_functions


def schemas(_):
    """Lists name and schema of every operator that PyTorch has, those included that it derives."""
    return [[str(one.func.name), str(one.func)] for one in functions()]


def cpp(ctype):
    text = ctype.cpp_type()
    for theirs, ours in SPELLINGS.items():
        text = text.replace(theirs, ours)
    return text


def prototype(function):
    """The types of the result and of each argument; None where ExecuTorch has none for one of them."""
    from executorch.codegen.api import et_cpp
    arguments = [one for one in function.func.schema_order_arguments()]
    with local.parametrize(use_const_ref_for_mutable_tensors=False, use_ilistref_for_tensor_lists=False):
        try:
            types = [cpp(et_cpp.argument_type(one, binds=one.name).type) for one in arguments]
            return {"result": cpp(et_cpp.returns_type(function.func.returns)), "arguments": types,
                    "names": [one.name for one in arguments]}
        except (KeyError, AssertionError, NotImplementedError):
            return None


def prototypes(_):
    return {str(one.func): prototype(one) for one in functions()}


def keys(text):
    """Lists operator, key and symbol of each kernel in a kernel yaml without op."""
    from executorch.codegen.parse import parse_et_yaml_struct
    index = parse_et_yaml_struct(yaml.load(text, Loader=LineLoader)).index
    return sorted([str(name), key.to_native_string(), f"{kernel.cpp_namespace}::{kernel.kernel}"]
                  for name, kernels in index.items() for key, kernel in kernels.items())


def selection(question):
    """What their selector and header generators make of a selected_operators.yaml."""
    from executorch.codegen.tools import gen_max_kernel_num, gen_selected_op_variants
    selector = SelectiveBuilder.from_yaml_str(question["selection"])
    operators = {name: [one.is_root_operator, one.is_used_for_training, one.include_all_overloads]
                 for name, one in selector.operators.items()}
    chosen = {name: sorted(selector.et_get_selected_kernels(name, keys))
              for name, keys in question["offered"].items()}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "s.yaml").write_text(question["selection"])
        gen_selected_op_variants.write_selected_op_variants(str(folder / "s.yaml"), str(folder))
        (folder / "prim.cpp").write_text("static Kernel prim_ops[] = {\n  Kernel(\"aten::sym_size.int\"),\n};\n")
        count = gen_max_kernel_num.gen_max_kernel_num([folder / "s.yaml"], folder / "prim.cpp", folder / "max.h")
        return {"operators": operators, "chosen": chosen, "everything": selector.include_all_operators,
                "variants": (folder / "selected_op_variants.h").read_text(), "count": count}


if __name__ == "__main__":
    what, question = json.load(sys.stdin)
    json.dump({"schemas": schemas, "prototypes": prototypes, "keys": keys, "selection": selection}[what](question),
              sys.stdout)
