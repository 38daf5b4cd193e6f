#include "cli/scaffold/described_definition.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

bool is_name(std::string_view word) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return !word.empty() && word.find_first_not_of(letters) == word.npos &&
         (word.front() < '0' || word.front() > '9');
}

std::string known_dtypes() {
  std::vector<std::string> names;
  for (const DTypeInfo& one : dtypes()) names.emplace_back(one.name);
  return join(names, ", ");
}

// Adds an axis as a word names it: "batch", "h=1024". Returns "" or the word's mistake.
std::string add_axis(std::string_view word, Definition& to, std::vector<std::string>& shape) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  if (!is_name(name)) return fmt::format("\"{}\" is no name of an axis", name);
  shape.push_back(name);
  if (equals == word.npos) {
    if (to.axes.find(name) == nullptr) to.axes[name] = AxisVar{};
    return "";
  }
  const std::string_view text = word.substr(equals + 1);
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || end != text.data() + text.size() || length < 1)
    return fmt::format("{} is no length of the axis {}", text, name);
  const Axis* const known = to.axes.find(name);
  const auto other = known == nullptr ? std::nullopt : const_value(*known);
  if (other && *other != length)
    return fmt::format("the axis {} has two lengths: {} and {}", name, *other, length);
  to.axes[name] = AxisConst{.value = length};
  return "";
}

std::string unwritten_reference(const Definition& definition) {
  std::vector<std::string> inputs, outputs;
  for (const auto& [name, spec] : definition.inputs) inputs.push_back(name);
  for (const auto& [name, spec] : definition.outputs) outputs.push_back(name);
  return fmt::format(
      "import torch\n\n\ndef run({}):\n    raise NotImplementedError(\"run() is to return {}\")\n",
      join(inputs, ", "), join(outputs, ", "));
}

}  // namespace

std::string describe_tensor(const std::string& word, Definition& to,
                            OrderedMap<TensorSpec>& specs) {
  const auto parts = split(word, ':');
  if (parts.size() != 3)
    return fmt::format("\"{}\" is not NAME:AXES:DTYPE, as in x:batch,h=1024:bfloat16", word);
  const std::string name(parts[0]);
  if (!is_name(name)) return fmt::format("\"{}\" is no name of a tensor", name);
  if (to.inputs.contains(name) || to.outputs.contains(name))
    return fmt::format("{} is there twice", name);
  const std::string_view usual = usual_dtype_name(parts[2]);
  const auto dtype = find_dtype(usual.empty() ? parts[2] : usual);
  if (!dtype)
    return fmt::format("{}: \"{}\" is no dtype: there are {}", name, parts[2], known_dtypes());
  TensorSpec spec{std::nullopt, *dtype, {}};
  if (!parts[1].empty()) {
    spec.shape.emplace();
    for (const std::string_view axis : split(parts[1], ','))
      if (std::string wrong = add_axis(trim(axis), to, *spec.shape); !wrong.empty())
        return fmt::format("{}: {}", name, wrong);
  }
  specs[name] = std::move(spec);
  return "";
}

std::optional<Definition> described_definition(const DefinitionWords& words, std::string& why) {
  Definition out{.name = words.name, .op_type = words.op_type};
  if (out.op_type.empty()) out.op_type = words.name.substr(0, words.name.find('_'));
  for (const std::string& word : words.inputs)
    if (!(why = describe_tensor(word, out, out.inputs)).empty()) return std::nullopt;
  for (const std::string& word : words.outputs)
    if (!(why = describe_tensor(word, out, out.outputs)).empty()) return std::nullopt;
  if (out.inputs.empty()) {
    why = "there is no --input";
    return std::nullopt;
  }
  if (out.outputs.empty()) {
    const TensorSpec& first = out.inputs.begin()->second;
    out.outputs[out.inputs.contains("y") ? "out" : "y"] = {first.shape, first.dtype, {}};
  }
  out.reference = words.reference.empty() ? unwritten_reference(out) : words.reference;
  return out;
}

}  // namespace kbench
