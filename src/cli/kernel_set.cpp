#include "cli/kernel_set.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <system_error>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "evaluate/engine.hpp"
#include "exec/gpus.hpp"
#include "machine/identity.hpp"
#include "registry/load_library.hpp"
#include "registry/lookup.hpp"
#include "registry/operator_binding.hpp"
#include "registry/sidecar.hpp"
#include "schema/scan.hpp"

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
    out_.error({what, 0, 0, "", ""}, std::move(message), std::move(hint));
  }

  void add_word(const std::string& word) {
    if (!is_there(word)) return say(word, "no such file or folder");
    if (!is_folder(word)) return add_library(word);
    if (is_trace_set(word)) return add_trace_set(word);
    if (add_libraries_below(word) == 0) say(word, "holds no kernel yaml");
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

  std::size_t add_libraries_below(const fs::path& folder) {
    std::size_t count = 0;
    for (const std::string& file : files_below(folder, ".yaml")) {
      if (!looks_like_kernel_yaml(read_if_readable(folder / file))) continue;
      add_library(folder / file);
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
    add_libraries_below(root == "." ? fs::path("solutions") : root / "solutions");
    LoadOptions load;
    load.traces = false;
    kernels_.set = load_trace_set(root, load, out_);
    for (const Stored<Solution>& solution : kernels_.set->solutions) {
      const KernelSettings said = read_sidecar_of(solution.path, out_).all;
      kernels_.registry.add(implementation_of(solution, said), options_.replace, out_);
    }
  }

  const KernelOptions& options_;
  Diagnostics& out_;
  KernelSet kernels_;
};

}  // namespace

const ops::Schema* KernelSet::schema(const std::string& op) const {
  for (const KernelLibrary& library : libraries) {
    for (const OperatorEntry& entry : library.operators) {
      if (ops::full_name(entry.schema.name) == op) return &entry.schema;
    }
  }
  return nullptr;
}

const Definition* KernelSet::definition(const std::string& name) const {
  if (!set) return nullptr;
  for (const Stored<Definition>& one : set->definitions) {
    if (same_operation(one.record.name, name)) return &one.record;
  }
  return nullptr;
}

void declare_libraries(CLI::App& app, KernelOptions& options) {
  app.add_option("library", options.words,
                 "Kernel yaml files, folders with some, or trace sets; default: the current trace "
                 "set")
      ->option_text("[LIB]...");
  app.add_option("--root", options.root, "The trace set; default: the current one")
      ->option_text("DIR");
  app.add_flag("--replace", options.replace,
               "Of two kernels that serve the same calls the later one counts");
}

KernelSet load_kernels(const KernelOptions& options, Diagnostics& diagnostics) {
  return Loader(options, diagnostics).load();
}

std::string operation_named(const KernelSet& kernels, const std::string& word) {
  if (word.empty() || !kernels.registry.implementations(word).empty()) return word;
  return ops::full_name(word);
}

std::optional<Query> query_for(const Definition& definition, const KernelSet& kernels,
                               Diagnostics& diagnostics) {
  Query query;
  query.operation = definition.name;
  for (const auto& [name, axis] : definition.axes) {
    if (const auto length = const_value(axis)) query.axes[name] = *length;
  }
  const auto op = linked_operator(definition);
  if (!op) return query;
  query.op = *op;
  const auto schema = find_schema(kernels, query.op);
  std::vector<std::string> problems;
  if (!schema) problems.push_back(fmt::format("no schema of {} is known", query.op));
  const auto binding = schema ? bind_operator(definition, *schema, problems) : std::nullopt;
  for (std::string& problem : problems)
    diagnostics.error({definition.name, 0, 0, "", ""}, std::move(problem));
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

int exit_after(const Diagnostics& diagnostics, int otherwise) {
  for (const Diagnostic& one : diagnostics.items())
    fmt::print(stderr, "{}", render(one, terminal().colour_err));
  return diagnostics.errors() > 0 ? static_cast<int>(exit_input) : otherwise;
}

}  // namespace kbench
