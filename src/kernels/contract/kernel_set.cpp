#include "kernels/contract/kernel_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "exec/gpus.hpp"
#include "judge/engine.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/load_library.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/operator_binding.hpp"
#include "kernels/registry/tunables.hpp"
#include "measure/machine/identity.hpp"
#include "schema/place.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class Loader {
 public:
  Loader(const KernelOptions& options, Diagnostics& out) : options_(options), out_(out) {}

  KernelSet load() {
    for (const std::string& word : options_.words) add_word(word);
    if (options_.words.empty()) add_current();
    if (options_.needs_definitions && !kernels_.set) add_definitions();
    check_schemas(kernels_.libraries, out_);
    for (KernelLibrary& one : kernels_.libraries)
      if (options_.replace) one = without_replaced(std::move(one), kernels_.registry);
    return std::move(kernels_);
  }

 private:
  void say(const std::string& what, std::string message, std::string hint = "") {
    out_.error({what}, std::move(message), std::move(hint));
  }

  void add_word(const std::string& word) {
    if (!is_there(word)) return say(word, "no such file or folder");
    if (!is_folder(word)) {
      const bool is_other = fs::path(word).has_extension() && !is_yaml(word);
      if (is_other) return say(word, "is no kernel yaml", "it is called so: kernels.yaml");
      return add_library(word);
    }
    if (is_trace_set(word)) return add_trace_set(word);
    if (add_libraries_below(word, false) == 0) say(word, "holds no kernel yaml");
  }

  void add_current() {
    const auto root = find_root(options_.root);
    if (!root || !is_trace_set(*root))
      return say(root ? root->string() : ".", "is no trace set",
                 "name kernel yaml files, run in a trace set, say --root DIR, or set "
                 "FIB_DATASET_PATH");
    add_trace_set(*root);
  }

  void add_definitions() {
    const auto root = find_root(options_.root);
    if (!root || !is_trace_set(*root)) return;
    LoadOptions load;
    load.traces = load.solutions = false;
    kernels_.set = load_trace_set(*root, load, out_);
  }

  void report(const Diagnostics& found, const fs::path& solutions) {
    for (Diagnostic one : found.items()) {
      if (options_.leaves_out && one.level == Level::error && is_below(one.where.file, solutions)) {
        one.level = Level::warning;
        one.message += ": the solution is left out";
      }
      out_.add(std::move(one));
    }
  }

  std::size_t add_libraries_below(const fs::path& folder, bool with_others) {
    std::size_t count = 0;
    for (const std::string& file : files_below(folder, "")) {
      if (!is_yaml(file) || is_sidecar(file)) continue;
      const Source source{(folder / file).string(), read_if_readable(folder / file)};
      const std::string_view kind = yaml_kind(source);
      if (kind.empty() && with_others) out_.warning({source.path}, other_yaml, other_yaml_hint);
      if (kind != "kernels") continue;
      add_library(source.path);
      ++count;
    }
    return count;
  }

  void add_library(const fs::path& path) {
    kernels_.libraries.push_back(
        load_kernel_library({path.string(), read_file(path)}, ops::installed_catalogue(), out_));
    for (Implementation& one : implementations_of(kernels_.libraries.back()))
      kernels_.registry.add(std::move(one), options_.replace, out_);
  }

  void add_trace_set(const fs::path& root) {
    const fs::path solutions = root == "." ? fs::path("solutions") : root / "solutions";
    add_libraries_below(solutions, true);
    LoadOptions load;
    load.traces = false;
    Diagnostics of_set;
    kernels_.set = load_trace_set(root, load, of_set);
    report(of_set, solutions);
    for (const Stored<Solution>& solution : kernels_.set->solutions) {
      const Definition* const definition = kernels_.set->definition(solution.record.definition);
      Diagnostics own;
      const Sidecar sidecar = definition == nullptr ? sidecar_of(solution, own)
                                                    : checked_sidecar(solution, *definition, own);
      report(own, solutions);
      if (own.errors() > 0 && options_.leaves_out) continue;
      kernels_.registry.add(implementation_of(solution, sidecar.all), options_.replace, out_);
    }
  }

  const KernelOptions& options_;
  Diagnostics& out_;
  KernelSet kernels_;
};

}  // namespace

const ops::Schema* KernelSet::schema(const std::string& op) const {
  for (const KernelLibrary& library : libraries) {
    for (const OperatorEntry& entry : library.operators)
      if (ops::full_name(entry.schema.name) == op) return &entry.schema;
  }
  return nullptr;
}

const Definition* KernelSet::definition(const std::string& name) const {
  if (!set) return nullptr;
  for (const Stored<Definition>& one : set->definitions)
    if (same_operation(one.record.name, name)) return &one.record;
  std::vector<std::string> names;
  for (const Stored<Definition>& one : set->definitions) names.push_back(one.record.name);
  const NameMatch match = match_name(name, names, "definition");
  return match.name.empty() ? nullptr : set->definition(match.name);
}

KernelSet load_kernels(const KernelOptions& options, Diagnostics& diagnostics) {
  return Loader(options, diagnostics).load();
}

std::string operation_named(const KernelSet& kernels, const std::string& word) {
  if (word.empty() || !kernels.registry.implementations(word).empty()) return word;
  return ops::full_name(word);
}

std::string operator_hint(const std::string& word, const std::vector<std::string>& known) {
  std::string near = near_operators(ops::full_name(word), known);
  return near.empty() ? near_operators(word, known) : near;
}

std::string operator_hint(const std::string& word, const KernelSet& kernels) {
  std::string near = operator_hint(word, operator_names(kernels.libraries));
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  if (!near.empty() || catalogue == nullptr) return near;
  std::vector<std::string> names;
  for (const std::string& name : catalogue->names()) names.push_back(ops::full_name(name));
  return operator_hint(word, names);
}

std::string definition_hint(const std::string& name, const TraceSet& set) {
  std::vector<std::string> names;
  for (const Stored<Definition>& stored : set.definitions) names.push_back(stored.record.name);
  return did_you_mean(name, names);
}

std::vector<std::pair<const Definition*, const Stored<Trace>*>> definitions_of(
    const TraceSet& set, const std::vector<Stored<Trace>>& workloads, Diagnostics& diagnostics) {
  std::vector<std::pair<const Definition*, const Stored<Trace>*>> all;
  std::set<std::string> seen;
  for (const Stored<Trace>& line : workloads) {
    const std::string& name = line.record.definition;
    if (!seen.insert(name).second) continue;
    if (const Definition* const definition = set.definition(name)) {
      all.emplace_back(definition, &line);
    } else {
      diagnostics.warning({line.path, line.line, 1, "", ""},
                          fmt::format("there is no definition {}", name),
                          definition_hint(name, set));
    }
  }
  return all;
}

std::vector<fs::path> files_of(const KernelSet& kernels) {
  std::vector<fs::path> files;
  for (const KernelLibrary& library : kernels.libraries) {
    files.emplace_back(library.path);
    if (const auto sidecar = find_sidecar(library.path)) files.push_back(*sidecar);
  }
  if (!kernels.set) return files;
  for (const Stored<Definition>& one : kernels.set->definitions) files.emplace_back(one.path);
  for (const Stored<Solution>& one : kernels.set->solutions) files.emplace_back(one.path);
  return files;
}

std::optional<Query> query_for(const Definition& definition, const TraceSet& set,
                               const KernelSet& kernels, Diagnostics& diagnostics) {
  Query query;
  query.operation = definition.name;
  for (const auto& [name, axis] : definition.axes)
    if (const auto length = const_value(axis)) query.axes[name] = *length;
  query.facts = dtype_facts(definition);
  const auto op = linked_operator(definition);
  if (!op) return query;
  query.op = *op;
  const auto place = [&](bool is_of_arguments) {
    const auto stored =
        std::find_if(set.definitions.begin(), set.definitions.end(),
                     [&](const Stored<Definition>& one) { return &one.record == &definition; });
    return stored == set.definitions.end() ? Where{definition.name}
                                           : place_of_link(*stored, is_of_arguments);
  };
  const auto schema = find_schema(kernels, query.op);
  if (!schema) {
    diagnostics.error(place(false), fmt::format("no schema of {} is known", query.op),
                      operator_hint(query.op, kernels));
    return std::nullopt;
  }
  std::vector<std::string> problems;
  const auto binding = bind_operator(definition, *schema, problems);
  for (std::string& problem : problems) diagnostics.error(place(true), std::move(problem));
  if (!binding) return std::nullopt;
  query.key = key_of(*binding, definition);
  return query;
}

std::optional<ops::Schema> find_schema(const KernelSet& kernels, const std::string& op) {
  if (const ops::Schema* schema = kernels.schema(ops::full_name(op))) return *schema;
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  const auto known = catalogue == nullptr ? std::nullopt : catalogue->find(op);
  if (!known) return std::nullopt;
  ops::Schema schema = known->schema;
  schema.name.name_space = "aten";
  return schema;
}

Host find_host() {
  Host host{cpu_features(), {}};
  for (const Gpu& gpu : find_gpus(installation().programs / gpu_worker_program).all)
    host.gpus.push_back(gpu.architecture);
  return host;
}

}  // namespace kbench
