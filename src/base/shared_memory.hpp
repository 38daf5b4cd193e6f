// Memory that several processes see: an anonymous file (memfd) and a mapping of it.
#pragma once

#include <cstddef>
#include <string>

#include "base/file.hpp"

namespace kbench {

class SharedMemory {
 public:
  SharedMemory() = default;
  // New memory of `bytes` zero bytes, mapped read-write.
  SharedMemory(const std::string& name, std::size_t bytes);
  // Somebody else's memory, mapped read-only, all of it.
  static SharedMemory map_read_only(Fd fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Nobody who gets the descriptor from now on can map it writable, write, shrink or grow it; our
  // own mapping stays writable. (F_SEAL_FUTURE_WRITE, Linux 5.1)
  void seal_for_others();
  // Nobody can change its size: a shrunk file would make our reads fail with SIGBUS.
  void seal_size();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int fd() const { return fd_.get(); }

 private:
  Fd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kbench
