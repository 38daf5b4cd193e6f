// Memory around tensors that no candidate may touch, made known to the address sanitizer where the
// worker was started with it: so a step beyond a tensor is reported with its line. Without it
// these do nothing.
#pragma once

#include <cstddef>

#include "worker/mapping.hpp"

namespace kbench::worker {

bool has_address_sanitizer();

// All of the pages and their guards but the tensor's bytes.
void close_around(const Pages& pages, const std::byte* data, std::size_t bytes);
// The pages, for those who fill them.
void open_all(const Pages& pages);

}  // namespace kbench::worker
