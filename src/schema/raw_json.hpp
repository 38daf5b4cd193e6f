#pragma once

#include <string>

namespace kbench {

// JSON text kept as it was read, for values whose form is not ours.
struct RawJson {
  std::string text;  // one valid JSON value, compact
};

}  // namespace kbench
