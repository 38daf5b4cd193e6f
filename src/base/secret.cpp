#include "base/secret.hpp"

#include <sys/random.h>

#include <stdexcept>

namespace kbench {

std::uint64_t fresh_secret() {
  std::uint64_t secret = 0;
  if (::getrandom(&secret, sizeof secret, 0) != sizeof secret)
    throw std::runtime_error("getrandom failed");
  return secret;
}

}  // namespace kbench
