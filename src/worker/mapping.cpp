#include "worker/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace kbench::worker {

void* map_whole(int fd, std::size_t bytes, bool writable) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
  return data == MAP_FAILED ? nullptr : data;
}

MappedTensor map_tensor(int fd, const Argument& tensor, bool writable) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = tensor.offset / page * page;
  const std::uint64_t end = (tensor.offset + tensor.bytes + page - 1) / page * page;
  const std::uint64_t size = end - begin;
  void* reserved = ::mmap(nullptr, size + 2 * guard_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return {};
  std::byte* const place = static_cast<std::byte*>(reserved) + guard_bytes;
  if (size > 0) {
    const int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    if (::mmap(place, size, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
               static_cast<off_t>(begin)) == MAP_FAILED) {
      return {};
    }
  }
  return {place + (tensor.offset - begin)};
}

}  // namespace kbench::worker
