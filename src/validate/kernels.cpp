#include "validate/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/rules.hpp"
#include "kernels/registry/dtype_constraints.hpp"
#include "kernels/registry/load_library.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/operator_binding.hpp"
#include "kernels/registry/registry.hpp"
#include "kernels/registry/selection.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/place.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

// Breaches of one convention; the text is the first one's.
class Finding {
 public:
  void add(const Where& where, std::string message, std::string hint) {
    if (count_++ == 0) first_ = {Level::warning, where, std::move(message), std::move(hint)};
  }

  void report(Level level, Diagnostics& out) {
    if (count_ == 0) return;
    first_.level = level;
    if (count_ > 1) first_.message += fmt::format(" (and {} more here)", count_ - 1);
    out.add(std::move(first_));
  }

 private:
  Diagnostic first_;
  std::size_t count_ = 0;
};

std::string function_of(const Kernel& kernel) {
  const std::size_t colons = kernel.name.rfind("::");
  return colons == std::string::npos ? kernel.name : kernel.name.substr(colons + 2);
}

struct ConventionFindings {
  Finding letters, functional, argument, overload;

  void add(const OperatorEntry& entry) {
    for (const Kernel& kernel : entry.kernels) add_name(kernel);
    const ops::Schema& schema = entry.schema;
    const std::string name = ops::full_name(schema.name);
    if (ops::kind_of(schema) != ops::SchemaKind::out) {
      if (entry.kernels.empty()) return;
      functional.add(entry.where, fmt::format("{} writes to no argument `out`", name),
                     "ExecuTorch's documentation has kernels for out variants alone");
    } else if (entry.is_custom) {
      add_out(entry);
    }
  }

 private:
  void add_name(const Kernel& kernel) {
    const std::string function = function_of(kernel);
    if (lower(function) == function) return;
    letters.add(kernel.where, fmt::format("the kernel {} has capital letters", function),
                fmt::format("by convention it is called {}", lower(function)));
  }

  // Checks the names of outputs in a schema of the file's own.
  void add_out(const OperatorEntry& entry) {
    const ops::Schema& schema = entry.schema;
    const std::string name = ops::full_name(schema.name);
    if (schema.out.size() == 1 && schema.out[0].name != "out")
      argument.add(entry.where,
                   fmt::format("{} writes to an argument \"{}\"", name, schema.out[0].name),
                   "by convention the last argument is called out");
    const std::string& last = schema.name.overload;
    if (last != "out" && !last.ends_with("_out"))
      overload.add(entry.where, fmt::format("the overload of {} does not end in out", name),
                   fmt::format("by convention it is \"{}\"", last.empty() ? "out" : last + "_out"));
  }
};

}  // namespace

void check_conventions(const KernelLibrary& library, Level level, Diagnostics& diagnostics) {
  ConventionFindings found;
  for (const OperatorEntry& entry : library.operators) found.add(entry);
  for (Finding* const one : {&found.letters, &found.functional, &found.argument, &found.overload})
    one->report(level, diagnostics);
}

namespace {

namespace fs = std::filesystem;

// Libraries without one of their sources are built as if that were not there.
void check_sources(const KernelLibrary& library, Diagnostics& out) {
  if (library.sources.empty()) return;
  const fs::path folder = fs::absolute(library.path).parent_path();
  const std::vector<std::string> files = files_below(folder, "");
  for (const std::string& source : library.sources) {
    const bool is_there = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      return is_source_name(source, file);
    });
    if (!is_there)
      out.warning({find_sidecar(library.path)->string(), 0, 0, "/sources", ""},
                  fmt::format("there is no source \"{}\" beside {}", source, library.path));
  }
}

// Operators of PyTorch cannot be checked without its schemas, which is no mistake of the file.
KernelLibrary read_library(const Source& source, Diagnostics& out) {
  KernelLibrary library =
      load_kernel_library(source, ops::installed_catalogue(), out, Level::warning);
  check_sources(library, out);
  return library;
}

void check_library(const Source& source, Level soft, Diagnostics& out) {
  check_conventions(read_library(source, out), soft, out);
}

struct Row {
  std::string_view kind;
  void (*check)(const Source& source, Level soft, Diagnostics& out);
};

constexpr Row table[] = {
    {"kernels", &check_library},
    {"constraints",
     [](const Source& source, Level, Diagnostics& out) {
       read_dtype_constraints(source, ops::installed_catalogue(), out);
     }},
    {"selection",
     [](const Source& source, Level, Diagnostics& out) { read_selection(source, out); }},
    {"sidecar", [](const Source& source, Level, Diagnostics& out) { read_sidecar(source, out); }},
};

// Sidecars are read with each library beside them, too: a mistake in one is kept once, and at the
// sidecar itself where that is among the files.
void drop_repeated(ValidationReport& report) {
  std::set<std::tuple<std::string, int, int, std::string>> said;
  const auto is_new = [&said](const Diagnostic& one) {
    return said.emplace(one.where.file, one.where.line, one.where.column, one.message).second;
  };
  for (const FileReport& file : report.files) {
    for (const Diagnostic& one : file.messages.items())
      if (one.where.file == file.path) is_new(one);
  }
  for (FileReport& file : report.files) {
    if (file.kind != "kernels") continue;
    Diagnostics kept;
    for (const Diagnostic& one : file.messages.items())
      if (one.where.file == file.path || is_new(one)) kept.add(one);
    file.messages = std::move(kept);
  }
}

std::vector<const Definition*> linked_to(const std::string& op,
                                         const std::vector<const Definition*>& definitions) {
  std::vector<const Definition*> linked;
  std::copy_if(definitions.begin(), definitions.end(), std::back_inserter(linked),
               [&](const Definition* definition) { return is_linked_to(*definition, op); });
  return linked;
}

std::string names_of(const std::vector<const Definition*>& definitions) {
  std::vector<std::string> names;
  for (const Definition* definition : definitions) names.push_back(definition->name);
  return join(names, ", ");
}

// Says which name of a condition no call of the Definition has; "" where it has them all.
std::string condition_problem(const std::string& condition, const Definition& definition) {
  for (const std::string& name : names_in_condition(condition)) {
    if (!is_of_call(name, definition))
      return fmt::format("{}: \"{}\" is no axis and no scalar input", condition, name);
  }
  return "";
}

Where place_in(const Sidecar& sidecar, const Kernel& kernel, const fs::path& library) {
  const auto own = sidecar.kernels.find(kernel.name);
  if (own != sidecar.kernels.end() && !own->second.conditions.empty()) return own->second.where;
  const auto path = find_sidecar(library);
  return path ? Where{path->string()} : kernel.where;
}

// `where` is the place of the condition in the sidecar.
void check_conditions_of(const Kernel& kernel, const Where& where,
                         const std::vector<const Definition*>& definitions, Diagnostics& out) {
  for (const std::string& condition : kernel.conditions) {
    std::string problem;
    for (const Definition* definition : definitions) {
      problem = condition_problem(condition, *definition);
      if (problem.empty()) break;
    }
    if (!problem.empty())
      out.warning(where, fmt::format("{} is never taken: {}", kernel.name, problem),
                  "conditions are over the axes, scalars and dtypes of " + names_of(definitions));
  }
}

}  // namespace

std::vector<std::string> kernel_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : table) kinds.emplace_back(row.kind);
  return kinds;
}

bool is_kernel_kind(std::string_view kind) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const Row& row) { return row.kind == kind; });
}

std::string_view guess_kernel_kind(const Source& source) {
  if (is_sidecar(source.path)) return "sidecar";
  if (!is_yaml(source.path)) return "";
  const std::string_view kind = yaml_kind(source);
  return kind.empty() ? "kernels" : kind;
}

void check_kernel_file(const Source& source, std::string_view kind, Level soft, Diagnostics& out) {
  for (const Row& row : table)
    if (row.kind == kind) row.check(source, soft, out);
}

void validate_kernel_files_below(const fs::path& folder, ValidationReport& report, Level soft,
                                 bool tells_of_others) {
  for (const std::string& name : files_below(folder, "")) {
    if (!is_yaml(name) && !is_sidecar(name)) continue;
    const fs::path path = folder / name;
    const Source source{path.string(), read_if_readable(path)};
    const bool is_other = !is_sidecar(name) && yaml_kind(source).empty();
    if (is_other && !tells_of_others) continue;
    FileReport& file = report.files.emplace_back(FileReport{path.string(), "", {}});
    if (is_other) {
      file.messages.add({soft, {path.string()}, other_yaml, other_yaml_hint});
    } else {
      file.kind = guess_kernel_kind(source);
      check_kernel_file(source, file.kind, soft, file.messages);
    }
  }
}

namespace {

struct KnownOperators {
  std::vector<std::string> libraries;
  std::vector<std::string> pytorch;
  bool knows_pytorch = false;

  bool may_have(const std::string& name) const {
    if (!knows_pytorch && name.starts_with("aten::")) return true;
    return std::find(libraries.begin(), libraries.end(), name) != libraries.end() ||
           std::find(pytorch.begin(), pytorch.end(), name) != pytorch.end();
  }
  std::string hint(const std::string& name) const {
    const std::string near = near_operators(name, libraries);
    return near.empty() ? near_operators(name, pytorch) : near;
  }
};

KnownOperators known_operators(const ValidationReport& report) {
  KnownOperators known;
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  known.knows_pytorch = catalogue != nullptr;
  for (const FileReport& file : report.files) {
    if (file.kind != "kernels") continue;
    Diagnostics said;  // mistakes of each file are reported already
    const KernelLibrary library = read_library({file.path, read_file(file.path)}, said);
    for (std::string& name : operator_names({library})) known.libraries.push_back(std::move(name));
  }
  if (catalogue == nullptr) return known;
  for (const std::string& name : catalogue->names()) known.pytorch.push_back(ops::full_name(name));
  return known;
}

}  // namespace

void check_operators(const std::vector<TaggedDefinition>& definitions, Level level,
                     ValidationReport& report) {
  const KnownOperators known = known_operators(report);
  for (const auto& [definition, number] : definitions) {
    FileReport& file = report.files[number];
    const std::vector<std::string>& tags = definition->tags;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (!tags[i].starts_with("op:")) continue;
      const std::string name = ops::full_name(tags[i].substr(3));
      if (known.may_have(name)) continue;
      file.messages.add(
          {level, Place(fs::path(file.path)).value(fmt::format("/tags/{}", i)),
           fmt::format("the operator {} is neither in a library here nor in PyTorch", name),
           known.hint(name)});
    }
  }
}

void check_conditions(const std::vector<const Definition*>& definitions, ValidationReport& report) {
  for (FileReport& file : report.files) {
    if (file.kind != "kernels") continue;
    Diagnostics said;  // mistakes of each file are reported already
    const KernelLibrary library = read_library({file.path, read_file(file.path)}, said);
    const Sidecar sidecar = read_sidecar_of(file.path, said);
    for (const OperatorEntry& entry : library.operators) {
      const auto linked = linked_to(ops::full_name(entry.schema.name), definitions);
      for (const Kernel& kernel : entry.kernels)
        check_conditions_of(kernel, place_in(sidecar, kernel, file.path), linked, file.messages);
    }
  }
}

void check_libraries_together(ValidationReport& report) {
  Registry registry;
  std::vector<KernelLibrary> libraries;
  for (FileReport& file : report.files) {
    if (file.kind != "kernels" || !fs::is_regular_file(file.path)) continue;
    Diagnostics said;  // mistakes of each file are reported already
    libraries.push_back(read_library({file.path, read_file(file.path)}, said));
    for (Implementation& one : implementations_of(libraries.back()))
      registry.add(std::move(one), false, file.messages);
  }
  Diagnostics schemas;
  check_schemas(libraries, schemas);
  for (FileReport& file : report.files) {
    for (const Diagnostic& one : schemas.items())
      if (one.where.file == file.path) file.messages.add(one);
  }
  drop_repeated(report);
}

}  // namespace kbench
