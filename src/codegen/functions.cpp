// NativeFunctions.h and Functions.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "codegen/files.hpp"
#include "operators/prototype.hpp"
#include "registry/arg_meta.hpp"

namespace kbench {
namespace {

// "a::native" and "f" of "a::native::f".
std::pair<std::string, std::string> split_symbol(const std::string& symbol) {
  const std::size_t colons = symbol.rfind("::");
  return {symbol.substr(0, colons), symbol.substr(colons + 2)};
}

// Lines by namespace, in the order in which these come first.
class Namespaces {
 public:
  std::vector<std::string>& operator[](const std::string& name) {
    const auto [at, is_new] = index_.try_emplace(name, blocks_.size());
    if (is_new) blocks_.push_back({name, {}});
    return blocks_[at->second].second;
  }

  std::string text() const {
    std::string out;
    for (const auto& [name, lines] : blocks_)
      out += fmt::format("\nnamespace {} {{\n{}}}  // namespace {}\n", name, join(lines, ""), name);
    return out;
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<std::pair<std::string, std::vector<std::string>>> blocks_;
};

// "in_order(6, 0, 1)", "any_order(any_type)".
std::string case_text(const TensorMeta& meta) {
  const std::string type = meta.is_none       ? std::string(scope) + "no_tensor"
                           : meta.scalar_type ? std::to_string(*meta.scalar_type)
                                              : std::string(scope) + "any_type";
  if (!meta.dim_order) return fmt::format("{}any_order({})", scope, type);
  std::string out = fmt::format("{}in_order({}", scope, type);
  for (const int dim : *meta.dim_order) out += fmt::format(", {}", dim);
  return out + ")";
}

// A function that several keys lead to, and its number.
struct Target {
  std::string symbol;
  std::string feature;

  bool operator==(const Target&) const = default;
};

std::vector<Target> targets_of(const GeneratedOperator& one, std::size_t cases) {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < cases; ++i) {
    const Target target{one.kernels[i].symbol, one.kernels[i].feature};
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  }
  return targets;
}

std::string table_text(const GeneratedOperator& one, std::size_t cases,
                       const std::vector<Target>& targets) {
  const std::size_t tensors = tensor_arguments(one.entry->schema).size();
  std::string out =
      fmt::format("  static constexpr {0}CaseTable<{1}, {2}> table({{\n", scope, tensors, cases);
  for (std::size_t i = 0; i < cases; ++i) {
    std::vector<std::string> parts;
    for (const TensorMeta& meta : *one.kernels[i].key) parts.push_back(case_text(meta));
    const Target target{one.kernels[i].symbol, one.kernels[i].feature};
    const auto number = std::find(targets.begin(), targets.end(), target) - targets.begin();
    out += fmt::format("      {{{{{}}}, {}}},\n", join(parts, ", "), number);
  }
  return out + "  });\n";
}

std::string keys_text(const ops::Schema& schema) {
  std::vector<std::string> keys;
  for (const ops::Argument* argument : tensor_arguments(schema))
    keys.push_back(fmt::format("{}key_of({})", scope, ops::cpp_name(*argument)));
  return join(keys, ", ");
}

std::string call_text(const std::string& symbol, const ops::Schema& schema) {
  const std::string arguments = argument_names(schema);
  return fmt::format("::{}(context{}{})", symbol, arguments.empty() ? "" : ", ", arguments);
}

std::string switch_text(const ops::Schema& schema, const std::vector<Target>& targets) {
  const bool is_void = schema.returns.empty();
  std::string out = fmt::format("  switch (table.find({{{}}})) {{\n", keys_text(schema));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto& [symbol, feature] = targets[i];
    const std::string call = call_text(symbol, schema);
    out += fmt::format("    case {}:\n", i);
    const std::string ends =
        is_void ? fmt::format("{{ {}; return; }}", call) : fmt::format("return {};", call);
    if (feature.empty()) {
      out += fmt::format("      {}\n", ends);
    } else {
      out +=
          fmt::format("      if (KBENCH_CPU_SUPPORTS(\"{}\")) {}\n      break;\n", feature, ends);
    }
  }
  return out + "    default:\n      break;\n  }\n";
}

// What is returned where no kernel serves: the outputs as they are.
std::string nothing_text(const ops::Schema& schema) {
  if (schema.returns.empty()) return "";
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < schema.out.size() && i < schema.returns.size(); ++i)
    outputs.push_back(ops::cpp_name(schema.out[i]));
  if (outputs.size() == 1) return fmt::format("  return {};\n", outputs[0]);
  if (!outputs.empty()) return fmt::format("  return {{{}}};\n", join(outputs, ", "));
  const std::string result = ops::cpp_result(schema, scope);
  if (result.ends_with('&')) return "  return self;\n";  // in place
  return fmt::format("  return {}Nothing<{}>::value();\n", scope, result);
}

std::string miss_text(const GeneratedOperator& one) {
  std::vector<std::string> keys;
  for (const GeneratedKernel& kernel : one.kernels)
    keys.push_back(fmt::format("{} ({})", human_text(*kernel.key), kernel.where));
  return fmt::format(
      "  {0}fail(context, {0}Error::OperatorMissing,\n      \"{1}: no kernel for these tensors; "
      "there is one for {2}\");\n{3}",
      scope, one.name, join(keys, "; "), nothing_text(one.entry->schema));
}

std::string function_text(const GeneratedOperator& one) {
  const ops::Schema& schema = one.entry->schema;
  const bool has_default = !one.kernels.back().key;
  const std::size_t cases = one.kernels.size() - (has_default ? 1 : 0);
  std::string out = fmt::format("\n// {}\ninline {} {{\n", ops::text(schema),
                                ops::prototype(schema, one.function, scope));
  const std::vector<Target> targets = targets_of(one, cases);
  if (cases > 0) out += table_text(one, cases, targets) + switch_text(schema, targets);
  if (has_default) {
    const std::string call = call_text(one.kernels.back().symbol, schema);
    out += fmt::format("  {}{};\n", schema.returns.empty() ? "" : "return ", call);
  } else {
    out += miss_text(one);
  }
  return out + "}\n";
}

}  // namespace

std::string native_functions_text(const std::vector<GeneratedOperator>& operators) {
  Namespaces namespaces;
  std::set<std::string> seen;
  for (const GeneratedOperator& one : operators) {
    for (const GeneratedKernel& kernel : one.kernels) {
      const auto [where, function] = split_symbol(kernel.symbol);
      const std::string line = ops::prototype(one.entry->schema, function, scope) + ";\n";
      if (seen.insert(where + " " + line).second) namespaces[where].push_back(line);
    }
  }
  return generated_banner() + "// The kernels.\n#pragma once\n\n#include \"kbench_kernel.h\"\n" +
         namespaces.text();
}

std::string functions_text(const std::vector<GeneratedOperator>& operators,
                           const FunctionsPlace& place) {
  Namespaces namespaces;
  for (const GeneratedOperator& one : operators) {
    namespaces[split_symbol(dispatch_symbol(one, place.name_space)).first].push_back(
        function_text(one));
  }
  return generated_banner() +
         "// A function for each operator, which calls the kernel for its tensors.\n#pragma "
         "once\n\n"
         "#include \"" +
         place.natives + "\"\n#include \"kbench_dispatch.h\"\n" + namespaces.text();
}

}  // namespace kbench
