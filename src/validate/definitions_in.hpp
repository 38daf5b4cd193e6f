// The Definitions of a scan, by their names.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/scan.hpp"

namespace kbench {

using DefinitionsByName = std::unordered_map<std::string_view, const Definition*>;

// The first of two with one name counts. `files` must live as long.
inline DefinitionsByName definitions_in(const std::vector<ScannedFile>& files) {
  DefinitionsByName definitions;
  for (const ScannedFile& file : files) {
    if (file.definition && !file.duplicate)
      definitions.emplace(file.definition->name, &*file.definition);
  }
  return definitions;
}

}  // namespace kbench
