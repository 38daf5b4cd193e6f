#include "base/variable.hpp"

#include <stdlib.h>

namespace kbench {

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace kbench
