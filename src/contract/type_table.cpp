#include "contract/type_table.hpp"

#include <fmt/format.h>

namespace kbench {

std::string type_table_class(const std::vector<AllowedTypes>& allowed) {
  std::string text = fmt::format("TypeTableCall<{}", allowed.front().size());
  for (const AllowedTypes& row : allowed) {
    for (const AllowedTensor& one : row)
      text += fmt::format(", {}, {}, {:#x}ull", one.tensor, one.alias, one.types);
  }
  return text + ">";
}

}  // namespace kbench
