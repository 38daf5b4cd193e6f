#include "base/errno_failure.hpp"

#include <cerrno>
#include <system_error>

namespace kbench {

void fail_by_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace kbench
