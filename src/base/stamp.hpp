// Labels by which profiles name calls: "kbench#<definition>/<solution>@<version>:<key>". In names,
// what is no letter, digit, '_', '-' or '.' stands as "%2F", so that whatever a record may be
// called, a label is one word of ASCII and leads back to the name.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct Stamp {
  std::string definition;
  std::string solution;
  std::string version = "0";  // of the solution, as its author counts
  std::string key;            // 16 hexadecimal digits: of what a record or an entry rests on

  auto operator<=>(const Stamp&) const = default;
};

std::string stamp_label(const Stamp& stamp);

// The other way round; nothing where the text is no label.
std::optional<Stamp> parse_stamp(std::string_view label);

struct FoundStamp {
  Stamp stamp;
  std::size_t count = 0;
};

// Finds the stamps in a text of any form, each once, in the order in which they come; also where
// JSON has '/' as "\/".
std::vector<FoundStamp> find_stamps(std::string_view text);

}  // namespace kbench
