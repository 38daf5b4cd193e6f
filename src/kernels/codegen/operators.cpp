#include "kernels/codegen/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

bool has_wildcards(const KernelKey& key) {
  return std::any_of(key.begin(), key.end(), [](const TensorMeta& meta) {
    return !meta.is_none && (!meta.scalar_type || !meta.dim_order);
  });
}

std::string feature_of(const Kernel& kernel) {
  const CpuFeature* const feature = find_cpu_feature(kernel.backend.refinement);
  return feature == nullptr ? "" : std::string(feature->gcc);
}

// Returns the rank of a backend: of kernels with one priority and like keys, the one with the
// greater rank goes first.
int backend_order(const Backend& backend) {
  return backend.is_any() ? -1 : refinement_order(backend);
}

// Says why there is no code for a kernel; "" where there is. Generated code does not ask for the
// architecture of a GPU.
std::string why_left_out(const Kernel& kernel, std::span<const std::string_view> devices) {
  const bool is_here = kernel.backend.is_any() || is_one_of(kernel.backend.device, devices);
  if (!is_here || (kernel.backend.device == "gpu" && !kernel.backend.refinement.empty()))
    return "it is for " + text(kernel.backend);
  if (kernel.platform != "cpp" && kernel.platform != "cuda")
    return "generated code calls functions of C++, and it is written in " + kernel.platform;
  if (!kernel.conditions.empty())
    return "generated code does not know the axes of its condition " + kernel.conditions.front();
  return "";
}

// Names that no other has: a number is added to one that is taken.
class Names {
 public:
  std::string take(const std::string& name) {
    std::string free = name;
    for (int i = 2; !taken_.insert(free).second; ++i) free = fmt::format("{}_{}", name, i);
    return free;
  }

 private:
  std::set<std::string> taken_;
};

std::string identifier_of(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter || (!out.empty() && out.back() != '_')) out += is_letter ? c : '_';
  }
  return out;
}

// Returns what tells functions of one name apart: "(*)(KernelRuntimeContext&, const Tensor&)".
std::string parameters_of(const ops::Schema& schema) {
  const std::string type = ops::pointer_type(schema, "");
  return type.substr(type.find("(*)"));
}

// Kernels that two operators name are one function: it cannot return two types.
void check_results(const std::vector<SelectedKernel>& kernels, Diagnostics& diagnostics) {
  std::map<std::string, const SelectedKernel*> functions;
  std::set<const Kernel*> said;
  for (const SelectedKernel& one : kernels) {
    const ops::Schema& schema = one.entry->schema;
    const SelectedKernel& other =
        *functions.try_emplace(one.kernel->symbol + parameters_of(schema), &one).first->second;
    const std::string result = ops::cpp_result(schema);
    const std::string other_result = ops::cpp_result(other.entry->schema);
    if (result == other_result || !said.insert(one.kernel).second) continue;
    diagnostics.error(one.kernel->where,
                      fmt::format("{} returns {} here, and {} for {}", one.kernel->name, result,
                                  other_result, ops::full_name(other.entry->schema.name)),
                      fmt::format("C++ tells functions apart by their parameters alone; the other "
                                  "one: {}",
                                  short_place(other.kernel->where)));
  }
}

// Overloads have one name where their parameters differ, else their own. `taken`: functions with
// their namespaces and parameters.
std::string function_name(const ops::Schema& schema, std::set<std::string>& taken) {
  const std::string parameters = parameters_of(schema);
  const auto take = [&](const std::string& name) {
    return taken.insert(schema.name.name_space + " " + name + parameters).second;
  };
  const std::string shared = ops::cpp_identifier(ops::function_name(schema));
  if (take(shared)) return shared;
  const std::string plain = shared + "_" + schema.name.overload;
  std::string own = plain;
  for (int i = 2; !take(own); ++i) own = fmt::format("{}_{}", plain, i);
  return own;
}

// Tells whether the calls that the second serves are among those of the first.
bool covers(const std::optional<KernelKey>& first, const std::optional<KernelKey>& second) {
  if (!first || !second) return !first;
  return matches(*first, *second, 0);
}

// Fills in `unless` and leaves out kernels that no call reaches.
void keep_reached(GeneratedOperator& one, const std::vector<SelectedKernel>& selected,
                  Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const auto& [entry, kernel, key] = selected[i];
    GeneratedKernel made{kernel->symbol,
                         key,
                         feature_of(*kernel),
                         {},
                         short_place(kernel->where),
                         kernel->priority,
                         backend_order(kernel->backend)};
    const SelectedKernel* before = nullptr;  // kernel that serves all its calls
    for (std::size_t j = 0; j < i && before == nullptr; ++j) {
      if (!covers(selected[j].key, key)) continue;
      const std::string feature = feature_of(*selected[j].kernel);
      const bool is_known =
          std::find(made.unless.begin(), made.unless.end(), feature) != made.unless.end();
      if (feature.empty() || feature == made.feature) {
        before = &selected[j];
      } else if (!is_known) {
        made.unless.push_back(feature);
      }
    }
    if (before != nullptr) {
      warn_of_kernel(
          *kernel,
          fmt::format("for {} {} goes before it",
                      key ? human_text(*key) : "what it is the default for", before->kernel->name),
          diagnostics);
    } else {
      one.kernels.push_back(std::move(made));
    }
  }
}

}  // namespace

FunctionNames function_names(const std::vector<SelectedKernel>& kernels) {
  FunctionNames names;
  std::set<std::string> taken;
  for (const SelectedKernel& one : kernels) {
    const ops::Schema& schema = one.entry->schema;
    const std::string name = ops::full_name(schema.name);
    if (!names.contains(name)) names[name] = function_name(schema, taken);
  }
  return names;
}

std::vector<SelectedKernel> callable_kernels(const std::vector<SelectedKernel>& kernels,
                                             std::span<const std::string_view> devices,
                                             Diagnostics& diagnostics) {
  std::vector<SelectedKernel> callable;
  for (const SelectedKernel& one : kernels) {
    const Kernel& kernel = *one.kernel;
    const std::string why = why_left_out(kernel, devices);
    if (why.empty()) {
      callable.push_back(one);
    } else {
      warn_of_kernel(kernel, why, diagnostics);
    }
  }
  check_results(callable, diagnostics);
  return callable;
}

void warn_of_kernel(const Kernel& kernel, const std::string& why, Diagnostics& diagnostics) {
  const std::string message = fmt::format("{} is left out: {}", kernel.name, why);
  if (diagnostics.empty() || diagnostics.items().back().message != message)
    diagnostics.warning(kernel.where, message);
}

std::vector<GeneratedOperator> operators_with(const std::vector<SelectedKernel>& kernels,
                                              Diagnostics& diagnostics,
                                              const FunctionNames& names) {
  if (names.empty() && !kernels.empty())
    return operators_with(kernels, diagnostics, function_names(kernels));
  std::vector<GeneratedOperator> operators;
  std::vector<std::vector<SelectedKernel>> selected;  // kernels of each operator
  std::map<std::string, std::size_t> index;
  Names identifiers;
  for (const SelectedKernel& one : kernels) {
    const std::string name = ops::full_name(one.entry->schema.name);
    const auto [at, is_new] = index.try_emplace(name, operators.size());
    if (is_new) {
      operators.push_back(
          {one.entry, name, identifiers.take(identifier_of(name)), names.at(name), {}});
      selected.emplace_back();
    }
    selected[at->second].push_back(one);
  }
  for (std::size_t i = 0; i < operators.size(); ++i)
    keep_reached(operators[i], in_order(selected[i]), diagnostics);
  return operators;
}

std::size_t count_kernels(const std::vector<GeneratedOperator>& operators,
                          const std::vector<GeneratedOperator>& others) {
  std::set<std::tuple<std::string, std::string, std::string>> kernels;
  for (const auto* const some : {&operators, &others}) {
    for (const GeneratedOperator& one : *some) {
      for (const GeneratedKernel& kernel : one.kernels)
        kernels.emplace(one.name, kernel.where, kernel.key ? key_text(*kernel.key) : "");
    }
  }
  return kernels.size();
}

std::string dispatch_symbol(const GeneratedOperator& one, const std::string& name_space) {
  return fmt::format("{}::{}::{}", name_space,
                     ops::cpp_identifier(one.entry->schema.name.name_space), one.function);
}

std::vector<GeneratedOperator> generated_operators(const std::vector<SelectedKernel>& kernels,
                                                   Diagnostics& diagnostics,
                                                   const FunctionNames& names) {
  constexpr std::string_view devices[] = {"cpu"};
  return operators_with(callable_kernels(kernels, devices, diagnostics), diagnostics, names);
}

std::string argument_names(const ops::Schema& schema) {
  std::vector<std::string> names;
  for (const ops::Argument* argument : ops::arguments_of(schema))
    names.push_back(ops::cpp_name(*argument));
  return join(names, ", ");
}

bool executorch_can_call(const ops::Schema& schema) {
  const auto can_pass = [](const ops::Argument* argument) {
    const ops::Type& type = argument->type;
    std::string form;  // modifiers from the inside out, without sizes
    for (const ops::Modifier& modifier : type.modifiers)
      form += modifier.kind == ops::Modifier::Kind::optional ? "?" : "[]";
    if (form.empty() || form == "?") return true;
    if (type.base == ops::BaseType::tensor) return form == "[]" || form == "?[]" || form == "[]?";
    const bool is_number = is_one_of(ops::info(type.base).cpp, {"int64_t", "double", "bool"});
    return is_number && (form == "[]" || form == "[]?");
  };
  const auto arguments = ops::arguments_of(schema);
  return std::all_of(arguments.begin(), arguments.end(), can_pass);
}

std::optional<std::string> executorch_key(const ops::Schema& schema, const KernelKey& key) {
  if (has_wildcards(key)) return std::nullopt;
  const auto arguments = tensor_arguments(schema);
  KernelKey seen;
  for (std::size_t i = 0; i < key.size(); ++i)
    if (!key[i].is_none && !arguments[i]->type.has_list()) seen.push_back(key[i]);
  if (schema.out.size() == 1 && schema.returns.size() == 1 && !seen.empty())
    seen.push_back(seen.back());
  return key_text(seen);
}

}  // namespace kbench
