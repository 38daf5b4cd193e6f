#include <fmt/format.h>

#include "build/builder.hpp"
#include "build/cpp.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

constexpr Builder table[] = {
    {Language::cpp, "C++ by the system's compiler, tvm-ffi binding", &cpp_unavailable, &build_cpp},
};

}  // namespace

std::span<const Builder> builders() { return table; }

const Builder* find_builder(Language language) {
  for (const Builder& builder : table) {
    if (builder.language == language) return &builder;
  }
  return nullptr;
}

std::string refusal(const Solution& solution) {
  if (find_builder(solution.spec.language) == nullptr) {
    return fmt::format("language {} has no builder in this version",
                       name_of(solution.spec.language));
  }
  if (solution.spec.binding == Binding::torch)
    return "binding torch is not supported in this version";
  return "";
}

}  // namespace kbench
