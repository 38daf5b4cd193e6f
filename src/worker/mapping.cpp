#include "worker/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(void const volatile* begin,
                                                       std::size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile* begin,
                                                         std::size_t size);
}

namespace kbench::worker {
namespace {

// Reserves address space for `size` bytes and the guards; nullptr when there is none.
std::byte* reserve(std::size_t size) {
  void* reserved = ::mmap(nullptr, size + 2 * guard_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return reserved == MAP_FAILED ? nullptr : static_cast<std::byte*>(reserved) + guard_bytes;
}

}  // namespace

Pages map_private(std::size_t size) {
  std::byte* const begin = reserve(size);
  if (begin == nullptr) return {};
  if (::mprotect(begin, size, PROT_READ | PROT_WRITE) == 0) return {begin, size};
  ::munmap(begin - guard_bytes, size + 2 * guard_bytes);
  return {};
}

void allow_writes(const Pages& pages, bool allowed) {
  if (pages.size > 0) ::mprotect(pages.begin, pages.size, PROT_READ | (allowed ? PROT_WRITE : 0));
}

void* map_whole(int fd, std::size_t bytes, bool writable) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
  return data == MAP_FAILED ? nullptr : data;
}

MappedTensor map_tensor(int fd, const Argument& tensor, bool writable) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = tensor.offset / page * page;
  const std::uint64_t end = (tensor.offset + tensor.bytes + page - 1) / page * page;
  const std::uint64_t size = end - begin;
  std::byte* const place = reserve(size);
  if (place == nullptr) return {};
  if (size > 0) {
    const int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    if (::mmap(place, size, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
               static_cast<off_t>(begin)) == MAP_FAILED) {
      return {};
    }
  }
  return {place + (tensor.offset - begin), {place, size}, tensor.bytes};
}

bool has_address_sanitizer() { return &__asan_poison_memory_region != nullptr; }

void close_around(const Pages& pages, const std::byte* data, std::size_t bytes) {
  if (!has_address_sanitizer() || pages.begin == nullptr) return;
  const std::byte* const begin = pages.begin - guard_bytes;
  const std::byte* const end = pages.begin + pages.size + guard_bytes;
  __asan_unpoison_memory_region(data, bytes);
  __asan_poison_memory_region(begin, static_cast<std::size_t>(data - begin));
  __asan_poison_memory_region(data + bytes, static_cast<std::size_t>(end - (data + bytes)));
}

void open_all(const Pages& pages) {
  if (has_address_sanitizer() && pages.begin != nullptr)
    __asan_unpoison_memory_region(pages.begin, pages.size);
}

}  // namespace kbench::worker
