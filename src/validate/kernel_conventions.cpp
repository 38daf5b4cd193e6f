#include "validate/kernel_conventions.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "operators/rules.hpp"

namespace kbench {
namespace {

// What leaves one convention: how it is said is the first one's.
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

  // How a schema of one's own calls what it writes.
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

}  // namespace kbench
