// Headers of a selection that ExecuTorch's build reads beside the kernels.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

// Returns the names of the dtypes that an operator's keys have, sorted; nullopt where any may come.
std::optional<std::set<std::string>> dtypes_of(const std::vector<std::string>& keys) {
  std::set<std::string> names;
  for (const std::string& text : keys) {
    std::string why;
    const auto key = text == "default" ? std::nullopt : parse_key(text, why);
    if (!key) return std::nullopt;
    for (const TensorMeta& meta : *key) {
      if (meta.is_none) continue;
      const ScalarTypeInfo* const type =
          meta.scalar_type ? find_scalar_type(*meta.scalar_type) : nullptr;
      if (type == nullptr) return std::nullopt;
      names.emplace(type->name);
    }
  }
  return names;
}

std::string condition_of(const std::string& name, const std::vector<std::string>& keys) {
  const std::string_view plain = std::string_view(name).starts_with("aten::")
                                     ? std::string_view(name).substr(6)
                                     : std::string_view(name);
  const auto dtypes = dtypes_of(keys);
  std::string types = "true";
  if (dtypes && !dtypes->empty()) {
    std::vector<std::string> all;
    for (const std::string& one : *dtypes)
      all.push_back("dtype == " + std::string(scope) + "ScalarType::" + one);
    types = join(all, " || ");
  }
  return fmt::format("(name == \"{}\" && ({}))", plain, types);
}

}  // namespace

std::string selected_variants_text(const OperatorSelection& selection) {
  std::vector<std::string> conditions;
  for (const auto& [name, keys] : selection.kernels) conditions.push_back(condition_of(name, keys));
  const bool is_any = selection.include_all_operators || conditions.empty();
  return generated_banner() +
         fmt::format(
             "// Which dtypes of an operator are built.\n#pragma once\n\n#include "
             "<string_view>\n\n#include \"kbench_kernel.h\"\n\ninline constexpr bool "
             "should_include_kernel_dtype([[maybe_unused]] std::string_view name,\n    "
             "[[maybe_unused]] {}ScalarType dtype) {{\n  return {};\n}}\n",
             scope, is_any ? "true" : join(conditions, " ||\n         "));
}

std::string kernel_number_text(const std::vector<GeneratedOperator>& operators,
                               const OperatorSelection& selection, std::size_t prim_ops) {
  const std::string head =
      generated_banner() + "// How many kernels are registered.\n#pragma once\n";
  std::map<std::string, std::size_t> numbers;
  for (const auto& [name, one] : selection.operators) {
    if (one.include_all_overloads) return head;
    numbers[name] = 1;
  }
  if (selection.include_all_operators) return head;
  for (const auto& [name, keys] : selection.kernels)
    numbers[name] = std::max<std::size_t>(keys.size(), 1);
  // Default kernels that are asked for may be several.
  for (const GeneratedOperator& one : operators)
    numbers[one.name] = std::max(numbers[one.name], one.kernels.size());
  std::size_t number = prim_ops;
  for (const auto& [name, kernels] : numbers) number += kernels;
  return head + fmt::format("\n#define EXECUTORCH_SELECTED_MAX_KERNEL_NUM {}\n", number);
}

std::string prim_ops_text(const std::vector<std::string>& prim_ops) {
  std::string out =
      generated_banner() + "// Which operators without tensors are built.\n#pragma once\n\n";
  for (const std::string& name : prim_ops) {
    std::string macro = "INCLUDE";
    for (const char c : "_" + name) {
      const bool is_word = c != ':' && c != '.' && c != '_';
      if (is_word || macro.back() != '_')
        macro += is_word ? static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) : '_';
    }
    out += fmt::format("#define {}\n", macro);
  }
  return out;
}

}  // namespace kbench
