#include "import/made_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "data/safetensors.hpp"
#include "schema/to_json.hpp"

namespace kbench {

const char* const describing_inputs = R"(

import json as _kbench_json
import torch as _kbench_torch


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


def _kbench_inputs(found):
    inputs = []
    for name, (key, value) in found.items():
        said = {"name": name, "key": key, **_kbench_said(value)}
        said["drawn"] = "" if key or not _kbench_torch.is_tensor(value) else _kbench_drawn(value)
        inputs.append(said)
    return inputs


def _kbench_bytes(description):
    return _kbench_torch.tensor(list(_kbench_json.dumps(description).encode()), dtype=_kbench_torch.int8)
)";

namespace {

namespace fs = std::filesystem;
using MadeJson = nlohmann::json;

constexpr std::size_t most_stored_bytes = std::size_t{256} << 20;  // of one tensor

// A run() that returns the values of what stands in the place of {}.
constexpr std::string_view storing = R"(

def run(zero):
    found = _kbench_found()
    return [found[name][1].clone() for name in {}]
)";

std::optional<DType> dtype_said(const MadeJson& said, const std::string& name, std::string& why) {
  const auto dtype = find_dtype(said.at("dtype").get<std::string>());
  if (!dtype)
    why =
        fmt::format("{} is {}, which no Definition has", name, said.at("dtype").get<std::string>());
  return dtype;
}

std::optional<ScalarValue> number_said(const MadeJson& said) {
  if (!said.contains("value")) return std::nullopt;
  const MadeJson& value = said.at("value");
  if (value.is_boolean()) return ScalarValue(value.get<bool>());
  if (value.is_number_integer()) return ScalarValue(value.get<std::int64_t>());
  return ScalarValue(value.get<double>());
}

std::vector<std::int64_t> shape_said(const MadeJson& said, const std::string& name,
                                     std::string& why) {
  const auto shape = said.value("shape", std::vector<std::int64_t>());
  for (const std::int64_t length : shape)
    if (length < 1) why = fmt::format("{} has a length of {}", name, length);
  return shape;
}

// `lines` of the text are the user's.
std::string failure_of(const ReferenceAnswer& answer, std::ptrdiff_t lines) {
  if (answer.outcome == ReferenceOutcome::ok) return "";
  const bool is_users = answer.line > 0 && answer.line <= lines;
  const std::string line = is_users ? fmt::format(" (line {})", answer.line) : "";
  if (!answer.message.empty()) return answer.message + line;
  return answer.outcome == ReferenceOutcome::timeout         ? std::string(too_long)
         : answer.outcome == ReferenceOutcome::out_of_memory ? "it needs too much memory"
                                                             : "its process died";
}

std::size_t bytes_of(const MadeInput& one) {
  return element_count(one.shape) * static_cast<std::size_t>(info(one.dtype).bits) / 8;
}

bool is_too_large(const MadeInput& one, ForeignFile& file) {
  if (bytes_of(one) <= most_stored_bytes) return false;
  file.notes.warning({file.source->path, 0, 0, "", ""},
                     fmt::format("the values of {} are not carried over: it has {}", one.input,
                                 human_bytes(static_cast<double>(bytes_of(one)))),
                     "random ones stand in their place, as torch.randn draws them");
  return true;
}

std::string store_inputs(ModuleProbe& probe, const std::string& text,
                         const std::vector<std::string>& names, const fs::path& file) {
  std::string run(storing);
  run.replace(run.find("{}"), 2, list_literal(names));
  const ReferenceAnswer answer = probe.run(text + run, names);
  if (std::string why = failure_of(answer, 0); !why.empty()) return why;
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i) tensors.push_back({names[i], answer.outputs[i]});
  write_safetensors(file, tensors);
  return "";
}

MadeInput read_input(const MadeJson& said, std::string& why) {
  MadeInput one;
  one.input = said.at("name").get<std::string>();
  one.key = said.at("key").get<std::string>();
  one.dtype = dtype_said(said, one.input, why).value_or(DType::float32);
  one.shape = shape_said(said, one.input, why);
  one.scalar = number_said(said);
  const auto drawn = said.at("drawn").get<std::string>();
  if (!drawn.empty()) one.drawn = RandomInput{};
  if (drawn == "fraction") one.drawn->kind = ValueKind::fraction;
  return one;
}

}  // namespace

std::string list_literal(const std::vector<std::string>& names) {
  return names.empty() ? "[]" : "[\"" + join(names, "\", \"") + "\"]";
}

std::optional<std::string> described(ModuleProbe& probe, const std::string& foreign,
                                     const std::string& behind, std::string& why) {
  const ReferenceAnswer answer = probe.run(foreign + behind, {"description"});
  why = failure_of(answer, std::count(foreign.begin(), foreign.end(), '\n') + 1);
  if (!why.empty()) return std::nullopt;
  const TensorView& said = answer.outputs.at(0);
  return std::string(reinterpret_cast<const char*>(said.data), said.bytes);
}

std::optional<std::vector<MadeInput>> made_inputs(std::string_view description, std::string& why) {
  std::vector<MadeInput> inputs;
  try {
    const MadeJson json = MadeJson::parse(description);
    for (const MadeJson& said : json.at("inputs")) {
      inputs.push_back(read_input(said, why));
      if (!why.empty()) return std::nullopt;
    }
  } catch (const MadeJson::exception& error) {
    why = fmt::format("what it says of its inputs cannot be read: {}", error.what());
    return std::nullopt;
  }
  return inputs;
}

std::string add_made_inputs(ModuleProbe& probe, const InputMaker& maker, std::size_t of,
                            Workload& workload, Imported& imported) {
  if (!imported.made)
    imported.made = std::make_shared<WorkFolder>(temporary_folder(), "kbench-import-");
  const fs::path blob = imported.made->path() / (workload.uuid + ".safetensors");
  std::vector<std::string> stored;
  for (const MadeInput& one : maker.inputs) {
    if (one.scalar) {
      workload.inputs[one.input] = ScalarInput{.value = *one.scalar};
    } else if (one.drawn || is_too_large(one, imported.files[of])) {
      workload.inputs[one.input] = one.drawn.value_or(RandomInput{});
    } else {
      workload.inputs[one.input] = SafetensorsInput{.path = blob.string(), .tensor_key = one.input};
      stored.push_back(one.input);
    }
  }
  return stored.empty() ? "" : store_inputs(probe, maker.text, stored, blob);
}

// RFC 9562's version 8: a digest of our own choice.
std::string made_uuid(const Definition& definition, const std::string& workload) {
  const std::string digest =
      sha256_hex("kbench import 1\n" + to_json(definition, Dump::full) + workload);
  return fmt::format("{}-{}-8{}-a{}-{}", digest.substr(0, 8), digest.substr(8, 4),
                     digest.substr(12, 3), digest.substr(15, 3), digest.substr(18, 12));
}

}  // namespace kbench
