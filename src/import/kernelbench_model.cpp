#include "import/kernelbench_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kbench {
namespace {

using SaidJson = nlohmann::json;

// Appended to a problem's module. `_kbench_all` has every input by its name in the Definition, and
// what is to be said of it; models that draw random numbers, or hold some that are no parameters,
// give another answer when they are made and called with another seed.
constexpr const char* making = R"(

import inspect as _kbench_inspect
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


def _kbench_found():
    return _kbench_all(_kbench_model(0))


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

def _kbench_answers(model, found):
    outputs = _kbench_call(model, found, 2)
    again = _kbench_call(_kbench_model(3), found, 4)
    return outputs, len(outputs) == len(again) and all(
        not _kbench_torch.is_tensor(a) or _kbench_torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(outputs, again))


def _kbench_shapes(model, found):
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
    size = globals().get("batch_size")
    return _kbench_bytes({"inputs": _kbench_inputs(found), "outputs": [_kbench_said(one) for one in outputs], "same": same,
                          "batch_size": size if type(size) is int else None})
)";

// What references and answers call a Model by.
constexpr const char* calling = R"(

def kbench_call(model, values):
    known = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    state = {key: values[name] for key, name in KBENCH_STATE.items() if key in known}
    arguments = [value for name, value in values.items() if name not in KBENCH_STATE.values()]
    return torch.func.functional_call(model, state, tuple(arguments))
)";

std::optional<KernelBenchModel> read_model(const std::string& text, std::string& why) {
  const SaidJson json = SaidJson::parse(text);
  KernelBenchModel model;
  auto inputs = made_inputs(text, why);
  if (!inputs) return std::nullopt;
  model.inputs = std::move(*inputs);
  const SaidJson& outputs = json.at("outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ModelOutput one{outputs.size() == 1 ? "output" : fmt::format("output_{}", i), {}, {}};
    const auto dtype = find_dtype(outputs[i].at("dtype").get<std::string>());
    if (!dtype) {
      why = fmt::format("{} is {}, which no Definition has", one.name,
                        outputs[i].at("dtype").get<std::string>());
      return std::nullopt;
    }
    one.shape = outputs[i].value("shape", std::vector<std::int64_t>());
    one.dtype = *dtype;
    for (const MadeInput& input : model.inputs)
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

std::string kernelbench_making(const std::string& text) { return with_line_break(text) + making; }

std::optional<KernelBenchModel> describe_model(ModuleProbe& probe, const std::string& text,
                                               std::string& why) {
  const auto said = described(probe, with_line_break(text),
                              std::string(making) + describing_inputs + describing, why);
  if (!said) return std::nullopt;
  try {
    return read_model(*said, why);
  } catch (const nlohmann::json::exception& error) {
    why = fmt::format("what it says of itself cannot be read: {}", error.what());
    return std::nullopt;
  }
}

std::string kernelbench_reference(const std::string& text, const KernelBenchModel& model) {
  std::vector<std::string> inputs, state;
  for (const MadeInput& one : model.inputs) {
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
