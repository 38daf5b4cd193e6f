#include "worker/red_zones.hpp"

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(void const volatile* begin,
                                                       std::size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile* begin,
                                                         std::size_t size);
}

namespace kbench::worker {

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
