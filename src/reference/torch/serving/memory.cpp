#include "reference/torch/serving/memory.hpp"

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kbench {
namespace {

// Returns "VmData" of /proc/self/status, in bytes.
std::uint64_t status_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name, 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
  return std::uint64_t{64} << 30;  // no /proc: more than LibTorch ever takes
}

void limit(__rlimit_resource resource, std::uint64_t bytes) {
  const rlimit both{bytes, bytes};
  ::setrlimit(resource, &both);
}

}  // namespace

std::uint64_t data_bytes() { return status_bytes("VmData"); }

// Limits heap and private mappings exactly, by RLIMIT_DATA; shared ones and files in memory can be
// had beside it, within the other two. Stacks and arenas of threads are only reserved: hence more.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  constexpr std::uint64_t reserved = std::uint64_t{8} << 30;
  limit(RLIMIT_DATA, data_bytes() + bytes);
  limit(RLIMIT_AS, status_bytes("VmSize") + 2 * bytes + reserved);
  limit(RLIMIT_FSIZE, bytes);
}

namespace {

constexpr std::size_t smallest = std::size_t{1} << 20;  // bytes

// Blocks of memory, each a mapping of its own.
class Blocks {
 public:
  // Returns nullptr where there is no memory left.
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    void* block = take_kept(bytes);
    if (block == nullptr) block = map(bytes);
    if (block == nullptr) {
      drop_kept(0);
      block = map(bytes);
    }
    if (block == nullptr) return nullptr;
    used_[block] = bytes;
    used_bytes_ += bytes;
    most_used_ = std::max(most_used_, used_bytes_);
    return block;
  }

  // Tells whether it is one of these.
  bool give_back(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(block);
    if (found == used_.end()) return false;
    const std::size_t bytes = found->second;
    used_.erase(found);
    used_bytes_ -= bytes;
    kept_.emplace(bytes, block);
    kept_bytes_ += bytes;
    drop_kept(2 * most_used_ - used_bytes_);
    return true;
  }

 private:
  static void* map(std::size_t bytes) {
    void* block =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    ::madvise(block, bytes, MADV_HUGEPAGE);
    return block;
  }

  void* take_kept(std::size_t bytes) {
    const auto found = kept_.find(bytes);
    if (found == kept_.end()) return nullptr;
    void* block = found->second;
    kept_.erase(found);
    kept_bytes_ -= bytes;
    return block;
  }

  // Frees blocks until at most `bytes` are kept.
  void drop_kept(std::size_t bytes) {
    while (kept_bytes_ > bytes) {
      const auto first = kept_.begin();
      ::munmap(first->second, first->first);
      kept_bytes_ -= first->first;
      kept_.erase(first);
    }
  }

  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> used_;  // value: the block's bytes
  std::multimap<std::size_t, void*> kept_;       // key: the block's bytes
  std::size_t used_bytes_ = 0, most_used_ = 0, kept_bytes_ = 0;
};

Blocks& blocks() {
  static auto& all = *new Blocks;  // tensors may outlive every static object
  return all;
}

void release(void* memory) {
  if (!blocks().give_back(memory)) c10::GetDefaultCPUAllocator()->raw_deallocate(memory);
}

class KeepingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = bytes < smallest ? nullptr : blocks().take(bytes);
    // LibTorch's own allocator reports that there is no memory.
    if (memory == nullptr) memory = c10::GetDefaultCPUAllocator()->raw_allocate(bytes);
    return {memory, memory, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

}  // namespace

void keep_tensor_memory() {
  static auto& allocator = *new KeepingAllocator;
  c10::SetCPUAllocator(&allocator);
}

}  // namespace kbench
