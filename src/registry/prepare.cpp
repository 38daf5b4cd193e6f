#include "registry/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kbench {

std::variant<std::optional<FoundMethod>, std::string> prepare_function(const Solution& solution,
                                                                       const Methods& declared) {
  const MethodQuery query = query_for(solution);
  const bool is_called = solution.spec.language == Language::cpp &&
                         solution.spec.binding.value_or(Binding::tvm_ffi) == Binding::tvm_ffi;
  if (!is_called && find_method(declared, "prepare", query))
    return fmt::format(
        "entry: {{prepare: …}} is for solutions in C++ with the binding tvm-ffi, and {} "
        "is none",
        solution.name);
  if (!is_called) return std::nullopt;
  // Most sources have no such word, and are not read for what they export.
  const bool may_export = std::any_of(
      solution.sources.begin(), solution.sources.end(),
      [](const SourceFile& source) { return source.content.find("prepare") != std::string::npos; });
  return find_method(may_export ? methods_of(solution, declared) : declared, "prepare", query);
}

}  // namespace kbench
