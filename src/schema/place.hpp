// Where in a file a JSON pointer leads: asked only when there is something to report, so that
// records need not carry their positions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace kbench {

// The value at `pointer` (RFC 6901) of line `line` of a .jsonl file, or of the whole file where
// `line` is 0; the nearest enclosing value where it is absent. `index`: byte of the decoded string,
// when the value is one. A file that cannot be read any more gives its path alone.
Where place_in_file(const std::filesystem::path& file, int line, std::string_view pointer,
                    std::size_t index = 0);

// The same for a text at hand.
Where place_in_text(const Source& source, int line, std::string_view pointer,
                    std::size_t index = 0);

// A key or index as a step of a JSON pointer: '~' and '/' escaped.
std::string pointer_step(std::string_view key);

}  // namespace kbench
