#include "import/kernelbench_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "data/safetensors.hpp"

namespace kbench {
namespace {

using SaidJson = nlohmann::json;

// Appended to a problem's module. `_kbench_all` has every input by its name in the Definition, and
// what is to be said of it; models that draw random numbers, or hold some that are no parameters,
// give another answer when they are made and called with another seed.
constexpr const char* making = R"(

import inspect as _kbench_inspect
import json as _kbench_json
import re as _kbench_re
import torch as _kbench_torch


def _kbench_model(seed):
    _kbench_torch.manual_seed(seed)
    arguments = get_init_inputs() if "get_init_inputs" in globals() else []
    return Model(*arguments)


def _kbench_name(key, taken):
    name = _kbench_re.sub(r"\W", "_", key)
    while name in taken:
        name += "_"
    return name


def _kbench_all(model):
    _kbench_torch.manual_seed(1)
    values = get_inputs()
    kinds = _kbench_inspect.Parameter
    names = [one.name for one in _kbench_inspect.signature(model.forward).parameters.values()
             if one.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    found = {}
    for i, value in enumerate(values):
        found[_kbench_name(names[i] if i < len(names) else f"input_{i}", found)] = ("", value)
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for key, value in state.items():
        found[_kbench_name(key, found)] = (key, value.detach())
    return found


def _kbench_call(model, found, seed, of=lambda tensor: tensor.clone()):
    _kbench_torch.manual_seed(seed)
    state = {key: of(value) for key, value in found.values() if key}
    arguments = tuple(of(value) if _kbench_torch.is_tensor(value) else value
                      for key, value in found.values() if not key)
    with _kbench_torch.no_grad():
        outputs = _kbench_torch.func.functional_call(model, state, arguments)
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
)";

constexpr const char* describing = R"(

def _kbench_drawn(value):
    if not value.is_floating_point() or value.numel() < 2:
        return ""
    wide = value.flatten()[:1 << 20].double()
    allowed = 6 / wide.numel() ** 0.5
    if bool(abs(wide.mean()) < allowed) and bool(abs(wide.std() - 1) < allowed):
        return "normal"
    is_fraction = bool(wide.min() >= 0) and bool(wide.max() <= 1) and bool(abs(wide.mean() - 0.5) < 0.3 * allowed)
    return "fraction" if is_fraction else ""


def _kbench_said(value):
    if isinstance(value, (bool, int, float)):
        return {"value": value, "dtype": {bool: "bool", int: "int64", float: "float32"}[type(value)]}
    if not _kbench_torch.is_tensor(value):
        return {"dtype": type(value).__name__}
    return {"shape": list(value.shape), "dtype": str(value.dtype).replace("torch.", "")}


def _kbench_answers(model, found):
    outputs = _kbench_call(model, found, 2)
    again = _kbench_call(_kbench_model(3), found, 4)
    return outputs, len(outputs) == len(again) and all(
        not _kbench_torch.is_tensor(a) or _kbench_torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(outputs, again))


# What PyTorch loads for it wants to know a folder for files, and writes none.
def _kbench_shapes(model, found):
    import os
    import tempfile
    tempfile.tempdir = os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/"
    dropout = _kbench_torch.nn.modules.dropout._DropoutNd
    draws = any(isinstance(one, dropout) and one.p > 0 for one in model.modules())
    return _kbench_call(model, found, 2, lambda tensor: tensor.to("meta")), not draws


# The shapes of a large problem are enough to know; without values dropout is known by its module.
def _kbench_outputs(model, found):
    if sum(value.numel() for _, value in found.values() if _kbench_torch.is_tensor(value)) > 1 << 20:
        try:
            return _kbench_shapes(model, found)
        except Exception:
            pass
    return _kbench_answers(model, found)


def run(zero):
    model = _kbench_model(0)
    found = _kbench_all(model)
    outputs, same = _kbench_outputs(model, found)
    inputs = []
    for name, (key, value) in found.items():
        said = {"name": name, "key": key, **_kbench_said(value)}
        said["drawn"] = "" if key or not _kbench_torch.is_tensor(value) else _kbench_drawn(value)
        inputs.append(said)
    size = globals().get("batch_size")
    text = _kbench_json.dumps({"inputs": inputs, "outputs": [_kbench_said(one) for one in outputs], "same": same,
                               "batch_size": size if type(size) is int else None})
    return _kbench_torch.tensor(list(text.encode()), dtype=_kbench_torch.int8)
)";

// What references and answers call a Model by.
constexpr const char* calling = R"(

def kbench_call(model, values):
    known = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    state = {key: values[name] for key, name in KBENCH_STATE.items() if key in known}
    arguments = [value for name, value in values.items() if name not in KBENCH_STATE.values()]
    return torch.func.functional_call(model, state, tuple(arguments))
)";

// What run() of a stored problem returns.
constexpr const char* storing = R"(

def run(zero):
    found = _kbench_all(_kbench_model(0))
    return [found[name][1].clone() for name in {}]
)";

std::optional<DType> dtype_said(const SaidJson& said, const std::string& name, std::string& why) {
  const auto dtype = find_dtype(said.at("dtype").get<std::string>());
  if (!dtype)
    why =
        fmt::format("{} is {}, which no Definition has", name, said.at("dtype").get<std::string>());
  return dtype;
}

std::optional<ScalarValue> number_said(const SaidJson& said) {
  if (!said.contains("value")) return std::nullopt;
  const SaidJson& value = said.at("value");
  if (value.is_boolean()) return ScalarValue(value.get<bool>());
  if (value.is_number_integer()) return ScalarValue(value.get<std::int64_t>());
  return ScalarValue(value.get<double>());
}

std::vector<std::int64_t> shape_said(const SaidJson& said, const std::string& name,
                                     std::string& why) {
  const auto shape = said.value("shape", std::vector<std::int64_t>());
  for (const std::int64_t length : shape)
    if (length < 1) why = fmt::format("{} has a length of {}", name, length);
  return shape;
}

std::optional<KernelBenchModel> read_model(const std::string& text, std::string& why) {
  const SaidJson json = SaidJson::parse(text);
  KernelBenchModel model;
  for (const SaidJson& said : json.at("inputs")) {
    ModelTensor one;
    one.input = said.at("name").get<std::string>();
    one.key = said.at("key").get<std::string>();
    const auto dtype = dtype_said(said, one.input, why);
    one.shape = shape_said(said, one.input, why);
    if (!why.empty()) return std::nullopt;
    one.dtype = *dtype;
    one.scalar = number_said(said);
    const auto drawn = said.at("drawn").get<std::string>();
    if (!drawn.empty()) one.drawn = RandomInput{};
    if (drawn == "fraction") one.drawn->kind = ValueKind::fraction;
    model.inputs.push_back(std::move(one));
  }
  const SaidJson& outputs = json.at("outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ModelOutput one{outputs.size() == 1 ? "output" : fmt::format("output_{}", i), {}, {}};
    const auto dtype = dtype_said(outputs[i], one.name, why);
    one.shape = shape_said(outputs[i], one.name, why);
    if (!why.empty()) return std::nullopt;
    one.dtype = *dtype;
    for (const ModelTensor& input : model.inputs)
      if (input.input == one.name) one.name += "_out";
    model.outputs.push_back(std::move(one));
  }
  if (!json.at("same").get<bool>()) {
    why = "its answer depends on random numbers that are no parameters of it (dropout?)";
    return std::nullopt;
  }
  if (json.at("batch_size").is_number_integer())
    model.batch_size = json.at("batch_size").get<std::int64_t>();
  return model;
}

std::string failure_of(const ReferenceAnswer& answer) {
  if (answer.outcome == ReferenceOutcome::ok) return "";
  const std::string line = answer.line > 0 ? fmt::format(" (line {})", answer.line) : "";
  if (!answer.message.empty()) return answer.message + line;
  return answer.outcome == ReferenceOutcome::timeout         ? "it takes too long"
         : answer.outcome == ReferenceOutcome::out_of_memory ? "it needs too much memory"
                                                             : "its process died";
}

std::string python_list(const std::vector<std::string>& names) {
  return names.empty() ? "[]" : "[\"" + join(names, "\", \"") + "\"]";
}

// {"x": x, "linear_weight": linear_weight}
std::string values_text(const std::vector<std::string>& inputs) {
  std::vector<std::string> pairs;
  for (const std::string& one : inputs) pairs.push_back(fmt::format("\"{0}\": {0}", one));
  return "{" + join(pairs, ", ") + "}";
}

std::string with_line_break(const std::string& text) {
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace

std::optional<KernelBenchModel> describe_model(ModuleProbe& probe, const std::string& text,
                                               std::string& why) {
  const ReferenceAnswer answer =
      probe.run(with_line_break(text) + making + describing, {"description"});
  why = failure_of(answer);
  if (!why.empty()) return std::nullopt;
  const TensorView& said = answer.outputs.at(0);
  try {
    return read_model({reinterpret_cast<const char*>(said.data), said.bytes}, why);
  } catch (const nlohmann::json::exception& error) {
    why = fmt::format("what it says of itself cannot be read: {}", error.what());
    return std::nullopt;
  }
}

std::string store_inputs(ModuleProbe& probe, const std::string& text,
                         const std::vector<std::string>& names, const std::filesystem::path& file) {
  std::string run = storing;
  run.replace(run.find("{}"), 2, python_list(names));
  const ReferenceAnswer answer = probe.run(with_line_break(text) + making + run, names);
  if (std::string why = failure_of(answer); !why.empty()) return why;
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i) tensors.push_back({names[i], answer.outputs[i]});
  write_safetensors(file, tensors);
  return "";
}

std::string kernelbench_reference(const std::string& text, const KernelBenchModel& model) {
  std::vector<std::string> inputs, state;
  for (const ModelTensor& one : model.inputs) {
    inputs.push_back(one.input);
    if (!one.key.empty()) state.push_back(fmt::format("\"{}\": \"{}\"", one.key, one.input));
  }
  return fmt::format(
      "{}\n\nimport torch\n\n# Which input stands for which parameter or buffer.\n"
      "KBENCH_STATE = {{{}}}\n{}\n\ndef run({}):\n"
      "    arguments = get_init_inputs() if \"get_init_inputs\" in globals() else []\n"
      "    return kbench_call(Model(*arguments), {})\n",
      with_line_break(text), join(state, ", "), calling, join(inputs, ", "), values_text(inputs));
}

std::string kernelbench_answer(const std::string& text, const Definition& definition) {
  std::vector<std::string> inputs;
  for (const auto& [name, spec] : definition.inputs) inputs.push_back(name);
  return fmt::format(
      "{}\n\nimport torch\nfrom {} import get_init_inputs, kbench_call\n\n_kbench_models = []\n"
      "\n\ndef run({}):\n"
      "    if not _kbench_models:\n"
      "        torch.manual_seed(0)\n"
      "        _kbench_models.append(ModelNew(*get_init_inputs()))\n"
      "    with torch.no_grad():\n"
      "        return kbench_call(_kbench_models[0], {})\n",
      with_line_break(text), kernelbench_problem_module, join(inputs, ", "), values_text(inputs));
}

}  // namespace kbench
