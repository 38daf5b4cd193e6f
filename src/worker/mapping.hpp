// Tensors in the worker's address space, and memory around them that no candidate may touch.
#pragma once

#include <cstddef>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// Pages between two inaccessible guards, so that a step beyond them is a fault and not another
// tensor.
struct Pages {
  std::byte* begin = nullptr;
  std::size_t size = 0;
};

// Maps fresh memory of its own; nothing when there is none.
Pages map_private(std::size_t size);
void allow_writes(const Pages& pages, bool allowed);

// Place of one tensor.
struct MappedTensor {
  std::byte* data = nullptr;
  Pages pages;
  std::size_t bytes = 0;
  void* seen = nullptr;  // the candidate's address: that of other hardware, else data
};

// Maps all of `fd`, shared; nullptr when that is impossible.
void* map_whole(int fd, std::size_t bytes, bool writable);

// Maps the pages of one tensor of `fd`. The result is empty on failure.
MappedTensor map_tensor(int fd, const Argument& tensor, bool writable);

// Memory around tensors is made known to the address sanitizer where the worker was started with
// it: so a step beyond a tensor is reported with its line. These functions do nothing otherwise.
bool has_address_sanitizer();

// Closes all of the pages and their guards but the tensor's bytes.
void close_around(const Pages& pages, const std::byte* data, std::size_t bytes);
// Opens the pages for the host, which fills them.
void open_all(const Pages& pages);

}  // namespace kbench::worker
