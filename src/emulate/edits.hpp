// Changes to a text, by the bytes that they replace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;  // the same as `begin`: an insertion
  std::string text;
};

// They do not overlap; insertions at one place come in the order of the list.
std::string with_edits(std::string_view text, std::vector<Edit> edits);

}  // namespace kbench
