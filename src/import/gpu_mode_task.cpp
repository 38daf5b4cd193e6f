#include "import/gpu_mode_task.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using TaskJson = nlohmann::json;

// Behind reference.py. A leaf is a tensor or number of `data`; its name is that by which
// ref_kernel() unpacks it.
constexpr const char* task_leaves = R"py(

import ast as _kbench_ast
import inspect as _kbench_inspect
import re as _kbench_re
import textwrap as _kbench_textwrap
import torch as _kbench_torch


def _kbench_unpacked():
    try:
        tree = _kbench_ast.parse(_kbench_textwrap.dedent(KBENCH_TEXT))
    except SyntaxError:
        return []
    for function in tree.body:
        if isinstance(function, _kbench_ast.FunctionDef) and function.name == "ref_kernel" and function.args.args:
            data = function.args.args[0].arg
            for node in _kbench_ast.walk(function):
                if (isinstance(node, _kbench_ast.Assign) and isinstance(node.value, _kbench_ast.Name)
                        and node.value.id == data and isinstance(node.targets[0], _kbench_ast.Tuple)):
                    return [one.id if isinstance(one, _kbench_ast.Name) else "" for one in node.targets[0].elts]
    return []


def _kbench_free(name, taken):
    name = _kbench_re.sub(r"\W", "_", str(name)).strip("_") or "input"
    name = "_" + name if name[0].isdigit() else name
    while name in taken or name in ("run", "torch"):
        name += "_"
    return name


# Fills `leaves` and returns Python that puts them together again.
def _kbench_take(value, name, leaves):
    if _kbench_torch.is_tensor(value) or isinstance(value, (bool, int, float)):
        name = _kbench_free(name, leaves)
        leaves[name] = value
        return "{" + name + "}" if _kbench_torch.is_tensor(value) else name
    if isinstance(value, (tuple, list)):
        names = KBENCH_NAMES if not leaves and len(KBENCH_NAMES) == len(value) else [""] * len(value)
        parts = [_kbench_take(one, names[i] or f"{name}_{i}", leaves) for i, one in enumerate(value)]
        return "(" + ", ".join(parts) + ",)" if isinstance(value, tuple) else "[" + ", ".join(parts) + "]"
    if isinstance(value, dict):
        parts = [repr(key) + ": " + _kbench_take(one, key, leaves) for key, one in value.items()]
        return "{{" + ", ".join(parts) + "}}"
    if value is None or isinstance(value, (str, _kbench_torch.dtype)):
        return repr(value).replace("{", "{{").replace("}", "}}")
    raise TypeError(f"its data holds a {type(value).__name__}, which cannot be an input")


def _kbench_leaves():
    leaves = {}
    template = _kbench_take(generate_input(**KBENCH_ARGUMENTS), "data", leaves)
    return leaves, template


def _kbench_found():
    leaves, _ = _kbench_leaves()
    return {name: ("", value) for name, value in leaves.items() if name not in KBENCH_BUFFERS}
)py";

constexpr const char* task_calls = R"py(

KBENCH_NAMES = _kbench_unpacked()


def _kbench_outputs(leaves, template, other=None):
    values = {name: value.clone() if _kbench_torch.is_tensor(value) else value for name, value in leaves.items()}
    if other is not None:
        values[other] = _kbench_changed(values[other])
    outputs = ref_kernel(eval(template.format(**{name: name for name in leaves}), {"torch": _kbench_torch}, values))
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for one in outputs:
        if not _kbench_torch.is_tensor(one):
            raise TypeError(f"ref_kernel() returns a {type(one).__name__}")
    names = []
    for i, one in enumerate(outputs):
        own = [name for name, value in values.items() if value is one]
        names.append(own[0] if own else "output" if len(outputs) == 1 else f"output_{i}")
    return names, [one.clone() for one in outputs]


def _kbench_same(a, b):
    return all(one.shape == other.shape and _kbench_torch.equal(one.float().nan_to_num(), other.float().nan_to_num())
               for one, other in zip(a, b))


def _kbench_changed(value):
    if value.is_floating_point():
        return (_kbench_torch.rand(value.shape) + 0.1).to(value.dtype)
    other = _kbench_torch.zeros_like(value)
    return other if bool((value != 0).any()) else _kbench_torch.ones_like(value)


# Tensors that make no difference are not read. What cannot be changed, or fails then, is.
def _kbench_is_read(leaves, template, name, wanted):
    try:
        return not _kbench_same(wanted, _kbench_outputs(leaves, template, name)[1])
    except Exception:
        return True


def _kbench_buffers(leaves, template):
    wanted = _kbench_outputs(leaves, template)[1]
    return [name for name, value in leaves.items()
            if _kbench_torch.is_tensor(value) and not _kbench_is_read(leaves, template, name, wanted)]


def run(zero):
    leaves, template = _kbench_leaves()
    outputs = []
    if KBENCH_WANTED == "buffers":
        KBENCH_BUFFERS.extend(_kbench_buffers(leaves, template))
    if KBENCH_WANTED == "outputs":
        names, values = _kbench_outputs(leaves, template)
        outputs = [{"name": name, **_kbench_said(value)} for name, value in zip(names, values)]
    inputs = {name: ("", value) for name, value in leaves.items() if name not in KBENCH_BUFFERS}
    buffers = [{"name": name, **_kbench_said(leaves[name])} for name in KBENCH_BUFFERS]
    return _kbench_bytes({"inputs": _kbench_inputs(inputs), "buffers": buffers, "outputs": outputs, "data": template})
)py";

// A literal of Python; what is no ASCII stays UTF-8.
std::string literal(const std::string& text) {
  return TaskJson(text).dump(-1, ' ', true, TaskJson::error_handler_t::replace);
}

// "cuda" and "cuda:0" as strings of their own become "cpu".
std::string on_the_cpu(const std::string& text) {
  const auto tokens = python::tokenize(text);
  const auto* const all = std::get_if<std::vector<python::Token>>(&tokens);
  if (all == nullptr) return text;
  std::string out;
  std::size_t done = 0;
  for (const python::Token& token : *all) {
    const std::string_view word =
        std::string_view(text).substr(token.begin, token.end - token.begin);
    const bool is_device =
        token.kind == python::TokenKind::string && word.size() > 5 &&
        (word.substr(1, word.size() - 2) == "cuda" || word.substr(1, word.size() - 2) == "cuda:0");
    if (!is_device) continue;
    out += text.substr(done, token.begin - done) + "\"cpu\"";
    done = token.end;
  }
  return out + text.substr(done);
}

// On one line, so that lines keep their numbers; it ends with a line break where the text does not
// begin with a simple statement.
std::string installing(const PythonModules& modules, std::string_view behind) {
  if (modules.empty()) return "";
  std::string text = "import sys as _kbench_sys, types as _kbench_types";
  for (const auto& [name, source] : modules)
    text += fmt::format(
        "; _kbench_sys.modules[\"{0}\"] = _kbench_types.ModuleType(\"{0}\"); "
        "exec({1}, _kbench_sys.modules[\"{0}\"].__dict__)",
        name, literal(on_the_cpu(source)));
  const bool is_simple = behind.starts_with("import ") || behind.starts_with("from ") ||
                         behind.starts_with("#") || behind.starts_with("\n");
  return text +
         (is_simple ? behind.starts_with("\n") || behind.starts_with("#") ? " " : "; " : "\n");
}

std::vector<TaskTensor> read_tensors(const TaskJson& list, std::string& why) {
  std::vector<TaskTensor> tensors;
  for (const TaskJson& said : list) {
    TaskTensor one{said.at("name").get<std::string>(), DType::float32, {}};
    const auto dtype = find_dtype(said.at("dtype").get<std::string>());
    if (!dtype)
      why = fmt::format("{} is {}, which no Definition has", one.name,
                        said.at("dtype").get<std::string>());
    one.dtype = dtype.value_or(DType::float32);
    one.shape = said.value("shape", std::vector<std::int64_t>());
    tensors.push_back(std::move(one));
  }
  return tensors;
}

std::optional<TaskCase> read_case(const std::string& said, std::string& why) {
  TaskCase one;
  auto inputs = made_inputs(said, why);
  if (!inputs) return std::nullopt;
  one.inputs = std::move(*inputs);
  const TaskJson json = TaskJson::parse(said);
  one.buffers = read_tensors(json.at("buffers"), why);
  one.outputs = read_tensors(json.at("outputs"), why);
  one.data = json.at("data").get<std::string>();
  return why.empty() ? std::optional(std::move(one)) : std::nullopt;
}

}  // namespace

std::string task_text(const PythonModules& modules, const std::string& reference) {
  const std::string text = on_the_cpu(reference);
  return installing(modules, text) + text + (text.ends_with('\n') ? "" : "\n");
}

std::string task_making(const std::string& text, const std::string& arguments,
                        const std::vector<std::string>& buffers) {
  return fmt::format(
      "{}\nKBENCH_ARGUMENTS = {}\nKBENCH_BUFFERS = {}\nKBENCH_TEXT = {}\nKBENCH_NAMES = []\n{}"
      "\n\nKBENCH_NAMES = _kbench_unpacked()\n",
      text, arguments, list_literal(buffers), literal(text), task_leaves);
}

std::optional<TaskCase> run_case(ModuleProbe& probe, const std::string& text,
                                 const std::string& arguments, const TaskQuestion& question,
                                 std::string& why) {
  const std::string all = task_making(text, arguments, question.buffers) +
                          fmt::format("KBENCH_WANTED = \"{}\"\n", question.wanted) +
                          describing_inputs + task_calls;
  const auto said = described(probe, text, all.substr(text.size()), why);
  if (!said) return std::nullopt;
  try {
    return read_case(*said, why);
  } catch (const TaskJson::exception& error) {
    why = fmt::format("what it says of itself cannot be read: {}", error.what());
    return std::nullopt;
  }
}

std::string task_run(const std::vector<std::string>& inputs, const std::string& called,
                     const std::string& data) {
  return fmt::format(
      "\n\ndef run({}):\n    import torch\n    outputs = {}({})\n"
      "    return tuple(outputs) if isinstance(outputs, list) else outputs\n",
      join(inputs, ", "), called, data);
}

}  // namespace kbench
