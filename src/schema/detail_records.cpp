#include "schema/detail_records.hpp"

namespace kbench {

std::string trivial_text(const std::vector<std::string>& names) {
  std::string text, output;
  for (const std::string& name : names) {
    const auto colon = name.find(": ");
    const std::string own = colon == name.npos ? "" : name.substr(0, colon);
    const bool is_same = own == output && !text.empty();
    text += text.empty() ? name
            : is_same    ? " or " + name.substr(own.empty() ? 0 : colon + 2)
                         : ", and " + name;
    output = own;
  }
  return text;
}

}  // namespace kbench
