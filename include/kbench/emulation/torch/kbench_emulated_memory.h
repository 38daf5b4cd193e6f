// SPDX-License-Identifier: Apache-2.0
// Memory of tensors that a solution with binding torch makes, told to the emulation. One source of
// a library includes it.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstddef>
#include <utility>

// Lets kernels access this memory, which holds what the host wrote. The runtime defines it.
extern "C" void kbench_emulation_add_memory(const void* begin, std::size_t bytes);
extern "C" void kbench_emulation_remove_memory(const void* begin);
// Makes the host's accesses to tensors say nothing.
extern "C" void kbench_emulation_has_torch();

namespace kbench_emulation {

class KnownMemory final : public c10::Allocator {
 public:
  explicit KnownMemory(c10::Allocator* own) : own_(own) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr memory = own_->allocate(bytes);
    if (memory.get() == nullptr) return memory;
    kbench_emulation_add_memory(memory.get(), bytes);
    auto* const held = new c10::DataPtr(std::move(memory));
    return {held->get(), held, &give_back, held->device()};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    own_->copy_data(to, from, bytes);
  }

 private:
  static void give_back(void* context) {
    auto* const held = static_cast<c10::DataPtr*>(context);
    kbench_emulation_remove_memory(held->get());
    delete held;
  }

  c10::Allocator* own_;
};

// Allocator that stays until the process ends, as its library does.
inline const bool memory_is_known = [] {
  kbench_emulation_has_torch();
  c10::SetCPUAllocator(new KnownMemory(c10::GetCPUAllocator()), 255);
  return true;
}();

}  // namespace kbench_emulation
