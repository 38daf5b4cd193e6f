#include "reference/torch/exact/private_inputs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/system.hpp"

namespace kbench {
namespace {

// Calls what(first, size) for each page of [begin, begin + bytes) that this process has a copy of
// its own of, because it wrote to it. Whole pages: `begin` is a page's. Where the kernel does not
// say, every page counts.
template <class Function>
void for_each_written_page(const std::byte* begin, std::size_t bytes, Function what) {
  constexpr std::size_t page = 4096, batch = 4096;
  constexpr std::uint64_t has_content = std::uint64_t{3} << 62;  // in memory or swapped out
  constexpr std::uint64_t of_file = std::uint64_t{1} << 61;      // still the shared one
  const Fd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> entries(batch);
  for (std::size_t at = 0; at < bytes; at += batch * page) {
    const std::size_t count = std::min(batch, (bytes - at + page - 1) / page);
    const auto place = reinterpret_cast<std::uintptr_t>(begin + at) / page * sizeof(std::uint64_t);
    const auto wanted = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    const bool known = ::pread(pagemap.get(), entries.data(), static_cast<std::size_t>(wanted),
                               static_cast<off_t>(place)) == wanted;
    for (std::size_t i = 0; i < count; ++i) {
      if (known && ((entries[i] & has_content) == 0 || (entries[i] & of_file) != 0)) continue;
      const std::size_t first = at + i * page;
      what(first, std::min(page, bytes - first));
    }
  }
}

}  // namespace

PrivateInputs::PrivateInputs(Fd memory, const std::vector<ReferenceArgument>& arguments)
    : arguments_(arguments) {
  if (memory) original_ = SharedMemory::map_read_only(std::move(memory));
  for (const ReferenceArgument& argument : arguments) {
    if (argument.is_scalar) continue;
    if (argument.offset > original_.size() || argument.bytes > original_.size() - argument.offset) {
      throw std::runtime_error("input " + argument.name + " lies outside the inputs' memory");
    }
  }
  if (original_.size() == 0) return;
  void* copy = ::mmap(nullptr, original_.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE, original_.fd(), 0);
  if (copy == MAP_FAILED) {
    fail_by_errno("mapping the inputs");
  }
  copy_ = static_cast<std::byte*>(copy);
}

PrivateInputs::~PrivateInputs() {
  if (copy_ != nullptr) ::munmap(copy_, original_.size());
}

std::vector<const ReferenceArgument*> PrivateInputs::modified() const {
  std::vector<const ReferenceArgument*> out;
  for (const ReferenceArgument& argument : arguments_) {
    if (argument.is_scalar || argument.bytes == 0) continue;
    const std::byte *original = original_.data() + argument.offset, *copy = data(argument);
    bool differs = false;
    for_each_written_page(copy, argument.bytes, [&](std::size_t first, std::size_t size) {
      differs = differs || std::memcmp(original + first, copy + first, size) != 0;
    });
    if (differs) out.push_back(&argument);
  }
  return out;
}

void PrivateInputs::restore(const std::vector<const ReferenceArgument*>& arguments) const {
  for (const ReferenceArgument* argument : arguments) {
    std::memcpy(data(*argument), original_.data() + argument->offset, argument->bytes);
  }
}

}  // namespace kbench
