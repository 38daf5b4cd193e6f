#include "base/stamp.hpp"

#include <fmt/format.h>

#include <string_view>

namespace kbench {
namespace {

// As it stands in a label.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

std::string stamp_label(const Stamp& stamp) {
  return fmt::format("kbench#{}/{}@{}:{}", encoded(stamp.definition), encoded(stamp.solution),
                     encoded(stamp.version), stamp.key);
}

}  // namespace kbench
