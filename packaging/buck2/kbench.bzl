# SPDX-License-Identifier: Apache-2.0
"""What cmake/KbenchKernels.cmake does, for Buck2: ExecuTorch's macros by their names, with kbench behind them.

The program is `kbench` of the path, or what .buckconfig says: [kbench] program = /where/kbench.
docs/kernels.md, "From Buck2", has an example.
"""

_LABEL = "et_operator_library"

# What "kbench kernels codegen" writes beside the generated code, whatever is selected.
RUNTIME_HEADERS = [
    "executorch/runtime/core/error.h",
    "executorch/runtime/core/exec_aten/exec_aten.h",
    "executorch/runtime/core/exec_aten/util/scalar_type_util.h",
    "executorch/runtime/core/exec_aten/util/tensor_util.h",
    "executorch/runtime/core/result.h",
    "executorch/runtime/kernel/kernel_includes.h",
    "executorch/runtime/kernel/kernel_runtime_context.h",
    "executorch/runtime/platform/assert.h",
    "executorch/runtime/platform/compiler.h",
    "executorch/runtime/platform/log.h",
    "kbench_dispatch.h",
    "kbench_executorch.h",
    "kbench_executorch_names.h",
    "kbench_executorch_types.h",
    "kbench_executorch_util.h",
    "kbench_kernel.h",
    "kbench_registry.h",
    "kbench_tensor.h",
]
GENERATED_HEADERS = [
    "CustomOpsNativeFunctions.h",
    "Functions.h",
    "NativeFunctions.h",
    "RegisterKernels.h",
    "selected_max_kernel_num.h",
]

def _program():
    return read_config("kbench", "program", "kbench")

def _quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"

def _outputs(names):
    return {name: [name] for name in names}

def _parts(target, names):
    return {name: ":{}[{}]".format(target, name) for name in names}

def et_operator_library(
        name,
        ops = [],
        ops_dict = {},
        model = None,
        ops_schema_yaml_target = None,
        include_all_ops = False,
        include_all_operators = False,
        visibility = []):
    """Writes what a program needs to selected_operators.yaml.

    ops: names of operators. ops_dict: names and what they are called with. model: the target of a .pte file.
    ops_schema_yaml_target: all operators of that file.
    """
    words = []
    for op in ops:
        words.append("--ops " + _quoted(op))
    if ops_dict:
        words.append("--ops-dict " + _quoted(json.encode(ops_dict)))
    if model != None:
        words.append("--model $(location {})".format(model))
    if ops_schema_yaml_target != None:
        words.append("--ops-yaml $(location {})".format(ops_schema_yaml_target))
    if include_all_ops or include_all_operators:
        words.append("--all")
    if not words:
        fail("et_operator_library {}: nothing is selected: say ops, ops_dict, model, ops_schema_yaml_target or include_all_ops".format(name))
    native.genrule(
        name = name,
        out = "selected_operators.yaml",
        cmd = "{} --quiet kernels select {} -o $OUT".format(_program(), " ".join(words)),
        labels = [_LABEL],
        visibility = visibility,
    )

def kbench_kernel_runtime(name, visibility = []):
    """What kernels are written with, and the registry: one for all libraries of a program."""
    native.genrule(
        name = name + "_files",
        outs = _outputs(RUNTIME_HEADERS + ["kbench_registry.cpp"]),
        cmd = "touch $TMP/none.yaml && {} --quiet kernels codegen $TMP/none.yaml -d $OUT".format(_program()),
    )
    native.cxx_library(
        name = name,
        srcs = [":{}_files[kbench_registry.cpp]".format(name)],
        header_namespace = "",
        exported_headers = _parts(name + "_files", RUNTIME_HEADERS),
        compiler_flags = ["-std=c++17"],
        visibility = visibility,
    )

def executorch_generated_lib(
        name,
        functions_yaml_target = None,
        custom_ops_yaml_target = None,
        deps = [],
        runtime = None,
        manual_registration = False,
        support_exceptions = False,
        visibility = []):
    """A library of the code that registers the kernels of yaml files, as far as the et_operator_library targets
    among `deps` select them; the other deps are libraries of kernels. `runtime`: a kbench_kernel_runtime target; without it
    the package's target of that name, which is made where there is none."""
    if runtime == None:
        runtime = ":kbench_kernel_runtime"
        if not native.rule_exists("kbench_kernel_runtime"):
            kbench_kernel_runtime(name = "kbench_kernel_runtime")
    yamls = [one for one in [functions_yaml_target, custom_ops_yaml_target] if one != None]
    if not yamls:
        fail("executorch_generated_lib {}: say functions_yaml_target or custom_ops_yaml_target".format(name))
    files = " ".join(["$(location {})".format(one) for one in yamls])
    options = []
    if manual_registration:
        options += ["--registration manual", "--lib-name " + name.replace("-", "_")]
    if support_exceptions:
        options.append("--exception-boundary")
    selections = "$(query_outputs \"attrfilter(labels, '{}', deps(set({})))\")".format(_LABEL, " ".join(deps))
    source = "RegisterKernelsEverything.cpp" if manual_registration else "RegisterCodegenUnboxedKernelsEverything.cpp"
    native.genrule(
        name = name + "_files",
        outs = _outputs(GENERATED_HEADERS + [source]),
        cmd = " && ".join([
            "words=; for file in {}; do words=\"$words --selection $file\"; done".format(selections),
            "{} --quiet kernels select {} $words -o $TMP/selected_operators.yaml".format(_program(), files),
            "{} --quiet kernels codegen {} --select $TMP/selected_operators.yaml {} -d $OUT".format(_program(), files, " ".join(options)),
            # Which there is with custom operators alone.
            "{ test -e $OUT/CustomOpsNativeFunctions.h || cp $OUT/NativeFunctions.h $OUT/CustomOpsNativeFunctions.h; }",
        ]),
    )
    native.cxx_library(
        name = name,
        srcs = [":{}_files[{}]".format(name, source)],
        header_namespace = "",
        exported_headers = _parts(name + "_files", GENERATED_HEADERS),
        compiler_flags = ["-std=c++17"],
        # Nobody calls what registers itself.
        link_whole = True,
        exported_deps = [runtime],
        deps = deps,
        visibility = visibility,
    )
