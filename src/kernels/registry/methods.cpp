#include "kernels/registry/methods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/registry/signature.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

constexpr std::string_view first_parts[] = {"prepare", "run", "fwd_with_residuals", "vjp",
                                            "combine"};
constexpr std::string_view contexts[] = {"", "sharded"};
constexpr std::string_view method_devices[] = {"", "cpu", "gpu", "tpu", "mps"};

std::string joined(std::string_view method, std::string_view context, std::string_view device) {
  std::string name(method);
  for (const std::string_view part : {context, device})
    if (!part.empty()) name.append("_").append(part);
  return name;
}

struct NameLevel {
  std::string_view name;
  std::string context;
  std::string device;
};

std::string_view device_of(const Solution& solution) {
  return is_for_gpu(solution.spec.language) ? "gpu" : "cpu";
}

// Returns the levels from the most to the least specific.
std::vector<NameLevel> levels_of(const MethodQuery& query) {
  std::vector<NameLevel> levels;
  const bool has_device = !query.device.empty();
  if (!query.context.empty()) {
    if (has_device) levels.push_back({"composite", query.context, query.device});
    levels.push_back({"context", query.context, ""});
  }
  if (has_device) levels.push_back({"platform", "", query.device});
  levels.push_back({"generic", "", ""});
  return levels;
}

std::optional<FoundMethod> at_level(const Methods& methods, std::string_view method,
                                    const NameLevel& level) {
  const auto found = methods.find(joined(method, level.context, level.device));
  if (found == methods.end()) return std::nullopt;
  return FoundMethod{found->first, found->second, level.name};
}

}  // namespace

std::string python_that_loads(const Solution& solution) {
  return fmt::format(R"(import importlib.util
import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "{}")
SPEC = importlib.util.spec_from_file_location("kbench_one", PATH)
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)
)",
                     entry_source(solution));
}

std::string named_as_here(std::string method) {
  const std::size_t at = method.find("_shard_map");
  return at == method.npos ? method : method.replace(at, 10, "_sharded");
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const std::string_view part : first_parts) {
    for (const std::string_view context : contexts) {
      for (const std::string_view device : method_devices)
        names.push_back(joined(part, context, device));
    }
  }
  return names;
}

MethodQuery query_for(const Solution& solution, std::string context) {
  return {std::move(context), std::string(device_of(solution))};
}

std::optional<FoundMethod> find_method(const Methods& methods, std::string_view method,
                                       const MethodQuery& query) {
  for (const NameLevel& level : levels_of(query))
    if (auto found = at_level(methods, method, level)) return found;
  return std::nullopt;
}

std::optional<std::pair<FoundMethod, FoundMethod>> find_gradient(const Methods& methods,
                                                                 const MethodQuery& query) {
  for (const NameLevel& level : levels_of(query)) {
    auto forward = at_level(methods, "fwd_with_residuals", level);
    auto backward = at_level(methods, "vjp", level);
    if (forward && backward) return std::pair{*std::move(forward), *std::move(backward)};
  }
  return std::nullopt;
}

std::string why_no_gradient(const Methods& methods, const MethodQuery& query) {
  const bool has_forward = find_method(methods, "fwd_with_residuals", query).has_value();
  const bool has_backward = find_method(methods, "vjp", query).has_value();
  const char* const lacks = has_forward && has_backward
                                ? "has fwd_with_residuals and vjp, but not as a pair of one level"
                            : has_forward  ? "has no vjp to its fwd_with_residuals"
                            : has_backward ? "has no fwd_with_residuals to its vjp"
                                           : "has neither fwd_with_residuals nor vjp";
  std::vector<std::string> there;
  for (const auto& [name, function] : methods) there.push_back(name);
  return fmt::format("{}; it has {}", lacks, join(there, ", "));
}

Solution with_function(Solution solution, const std::string& function) {
  if (!function.empty()) solution.spec.entry_point = entry_source(solution) + "::" + function;
  return solution;
}

Methods methods_of(const Solution& solution, const Methods& declared) {
  Methods methods = declared;
  methods.try_emplace("run", entry_symbol(solution));
  const std::vector<std::string> known = method_names();
  for (std::string& name : exported_functions(solution)) {
    const std::string method = named_as_here(name);
    const bool is_method = std::find(known.begin(), known.end(), method) != known.end();
    if (is_method) methods.try_emplace(method, name);
  }
  return methods;
}

namespace {

// Sources mostly lack this word, and are then not parsed for their exports.
bool may_export_run(const Solution& solution) {
  return std::any_of(
      solution.sources.begin(), solution.sources.end(),
      [](const SourceFile& source) { return source.content.find("run_") != std::string::npos; });
}

// Functions that take other arguments are helpers, whatever they are called.
bool takes_what_the_entry_takes(const Solution& solution, const std::string& function) {
  std::string why;
  const auto entry = signature_of(solution, why);
  const auto other = signature_of(with_function(solution, function), why);
  return entry && other && differences(*entry, *other).empty();
}

}  // namespace

std::string called_function(const Solution& solution, const Methods& declared) {
  const MethodQuery query{"", std::string(device_of(solution))};
  auto found = find_method(declared, "run", query);
  if (may_export_run(solution)) {
    const auto exported = find_method(methods_of(solution, declared), "run", query);
    const bool is_declared = declared.contains(exported->name);
    if (is_declared || takes_what_the_entry_takes(solution, exported->function)) found = exported;
  }
  return found && found->function != entry_symbol(solution) ? found->function : "";
}

std::variant<std::optional<FoundMethod>, std::string> prepare_function(const Solution& solution,
                                                                       const Methods& declared) {
  const MethodQuery query = query_for(solution);
  const bool is_called =
      is_python(solution) || (solution.spec.language == Language::cpp &&
                              solution.spec.binding.value_or(Binding::tvm_ffi) == Binding::tvm_ffi);
  auto found = find_method(declared, "prepare", query);
  if (!is_called && found)
    return fmt::format(
        "entry: {{prepare: …}} is for solutions in Python, and in C++ by tvm-ffi, and {} is none",
        solution.name);
  if (!is_called || found) return found;
  // Sources mostly lack this word, and are then not parsed for their exports.
  const bool may_export = std::any_of(
      solution.sources.begin(), solution.sources.end(),
      [](const SourceFile& source) { return source.content.find("prepare") != std::string::npos; });
  if (may_export) found = find_method(methods_of(solution, declared), "prepare", query);
  // Functions of Python are not exported by a word of their own: other arguments are a helper's.
  const bool is_helper =
      found && is_python(solution) && !takes_what_the_entry_takes(solution, found->function);
  return is_helper ? std::nullopt : found;
}

}  // namespace kbench
