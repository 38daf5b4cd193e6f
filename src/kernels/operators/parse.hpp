// Reader of operator schemas. The grammar and its messages are torchgen's (torchgen/model.py of
// PyTorch 2.15), as files that pass here are read there, too; each message points at its column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench::ops {

// Mistake at byte `at` of a schema's text.
struct Flaw {
  Level level = Level::error;
  std::size_t at = 0;
  std::string message;
  std::string hint;
  bool is_blank = false;  // differs from the canonical form in blanks alone
};

// Adds a flaw that is no warning.
inline void error(std::vector<Flaw>& flaws, std::size_t at, std::string message,
                  std::string hint = "") {
  flaws.push_back({Level::error, at, std::move(message), std::move(hint)});
}

struct ParsedSchema {
  std::optional<Schema> schema;  // nullopt where it cannot be understood
  // Flaws in the order of the text. Blanks that the canonical form does not have are warnings,
  // though torchgen refuses them.
  std::vector<Flaw> flaws;
};

// Checks the grammar alone; rules.hpp has the rules between the parts of a schema.
ParsedSchema parse_schema(std::string_view text);

}  // namespace kbench::ops
