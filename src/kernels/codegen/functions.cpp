// NativeFunctions.h and Functions.h.
#include <fmt/format.h>

#include <map>
#include <set>
#include <span>

#include "base/text.hpp"
#include "kernels/codegen/adapters.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/arg_meta.hpp"

namespace kbench {
namespace {

// Splits "a::native::f" into "a::native" and "f".
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

// Returns "in_order(6, 0, 1)", "any_order(any_type)".
std::string case_text(const TensorMeta& meta) {
  const std::string type = meta.is_none       ? std::string(scope) + "no_tensor"
                           : meta.scalar_type ? std::to_string(*meta.scalar_type)
                                              : std::string(scope) + "any_type";
  if (!meta.dim_order) return fmt::format("{}any_order({})", scope, type);
  std::string out = fmt::format("{}in_order({}", scope, type);
  for (const int dim : *meta.dim_order) out += fmt::format(", {}", dim);
  return out + ")";
}

// Function of keys that stand one behind the other; its number is its place in the order.
struct Target {
  std::string symbol;
  std::string feature;
  std::vector<KernelKey> keys;
};

std::vector<Target> targets_of(std::span<const GeneratedKernel> kernels, std::size_t tensors) {
  std::vector<Target> targets;
  for (const GeneratedKernel& one : kernels) {
    const bool is_same = !targets.empty() && targets.back().symbol == one.symbol &&
                         targets.back().feature == one.feature;
    if (!is_same) targets.push_back({one.symbol, one.feature, {}});
    targets.back().keys.push_back(one.key.value_or(KernelKey(tensors)));
  }
  return targets;
}

std::string table_text(const std::vector<Target>& targets, std::size_t tensors) {
  std::size_t cases = 0;
  std::string rows;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (const KernelKey& key : targets[i].keys) {
      std::vector<std::string> parts;
      for (const TensorMeta& meta : key) parts.push_back(case_text(meta));
      rows += fmt::format("      {{{{{}}}, {}}},\n", join(parts, ", "), i);
      ++cases;
    }
  }
  return fmt::format("  static constexpr {0}CaseTable<{1}, {2}> table({{\n{3}  }});\n", scope,
                     tensors, cases, rows);
}

std::string supports_text(const std::string& feature) {
  return feature.empty() ? "true" : fmt::format("KBENCH_CPU_SUPPORTS({})", quoted_in_cpp(feature));
}

// Says for each target whether this processor has it, if some processors do not: "{true, …}".
std::string usable_text(const std::vector<Target>& targets) {
  std::vector<std::string> all;
  bool is_any = false;
  for (const Target& one : targets) {
    all.push_back(supports_text(one.feature));
    is_any |= !one.feature.empty();
  }
  return is_any ? fmt::format(", {{{}}}", join(all, ", ")) : "";
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

// Returns "return a::f(context, x);"; a function that returns nothing has braces around both.
std::string ends_text(const std::string& symbol, const ops::Schema& schema) {
  const std::string call = call_text(symbol, schema);
  return schema.returns.empty() ? fmt::format("{{ {}; return; }}", call)
                                : fmt::format("return {};", call);
}

std::string switch_text(const ops::Schema& schema, const std::vector<Target>& targets) {
  std::string out =
      fmt::format("  switch (table.find({{{}}}{})) {{\n", keys_text(schema), usable_text(targets));
  for (std::size_t i = 0; i < targets.size(); ++i)
    out += fmt::format("    case {}:\n      {}\n", i, ends_text(targets[i].symbol, schema));
  return out + "    default:\n      break;\n  }\n";
}

// Writes the tests of an operator without tensors, whose kernels are all defaults.
std::string tests_text(const ops::Schema& schema, std::span<const GeneratedKernel> kernels) {
  std::string out;
  for (const GeneratedKernel& one : kernels)
    out += fmt::format("  if ({}) {}\n", supports_text(one.feature), ends_text(one.symbol, schema));
  return out;
}

// Returns the outputs as they are, for calls that no kernel serves.
std::string nothing_text(const ops::Schema& schema) {
  if (schema.returns.empty()) return "";
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < schema.out.size() && i < schema.returns.size(); ++i)
    outputs.push_back(ops::cpp_name(schema.out[i]));
  if (outputs.size() == 1) return fmt::format("  return {};\n", outputs[0]);
  if (!outputs.empty()) return fmt::format("  return {{{}}};\n", join(outputs, ", "));
  const std::string result = ops::cpp_result(schema, scope);
  if (result.ends_with('&')) return "  return self;\n";  // written in place
  return fmt::format("  return {}Nothing<{}>::value();\n", scope, result);
}

std::string miss_text(const GeneratedOperator& one) {
  std::vector<std::string> keys;
  for (const GeneratedKernel& kernel : one.kernels)
    keys.push_back(fmt::format("{} ({})", kernel.key ? human_text(*kernel.key) : kernel.feature,
                               kernel.where));
  const std::string message = fmt::format("{}: no kernel for these tensors; there is one for {}",
                                          one.name, join(keys, "; "));
  return fmt::format("  {0}fail(context, {0}Error::OperatorMissing,\n      {1});\n{2}", scope,
                     quoted_in_cpp(message), nothing_text(one.entry->schema));
}

std::string function_text(const GeneratedOperator& one) {
  const ops::Schema& schema = one.entry->schema;
  // Kernels end with one that serves all calls, where it can.
  const bool has_default = !one.kernels.back().key && one.kernels.back().feature.empty();
  const std::span<const GeneratedKernel> chosen(one.kernels.data(),
                                                one.kernels.size() - (has_default ? 1 : 0));
  const std::size_t tensors = tensor_arguments(schema).size();
  std::string out = fmt::format("\n// {}\ninline {} {{\n", comment_in_cpp(ops::text(schema)),
                                ops::prototype(schema, one.function, scope));
  if (tensors == 0) {
    out += tests_text(schema, chosen);
  } else if (!chosen.empty()) {
    const std::vector<Target> targets = targets_of(chosen, tensors);
    out += table_text(targets, tensors) + switch_text(schema, targets);
  }
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
