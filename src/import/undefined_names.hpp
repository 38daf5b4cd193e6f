// Names that a reference uses and nothing in it defines: the files it was taken from did.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct UndefinedName {
  std::string name;
  std::size_t offset = 0;  // of its first use, in the text
};

// Names that are only ever called or looked into (`f(…)`, `math.log`), and are neither imported,
// assigned, parameters nor Python's own. What is used in other ways is not judged.
std::vector<UndefinedName> undefined_names(std::string_view python);

}  // namespace kbench
