#include "emulate/runtime/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>

#include "emulate/runtime/region.hpp"

namespace kbench_emulation {
namespace {

constexpr std::size_t guard_bytes = 4096;

// Stacks kept for the next launch: a system call for each would outlast most kernels.
struct Stacks {
  std::mutex mutex;
  std::vector<Stack> free;
  unsigned made = 0;
};
Stacks& stacks() {
  static Stacks& all = *new Stacks;
  return all;
}

// Staggers stacks, so that not all begin in the same lines of a cache.
std::size_t usable(const Stack& stack) { return stack_bytes - stack.number % 61 * 192; }

}  // namespace

Stack take_stack() {
  Stacks& all = stacks();
  const std::lock_guard lock(all.mutex);
  if (!all.free.empty()) {
    const Stack stack = all.free.back();
    all.free.pop_back();
    return stack;
  }
  char* const memory = static_cast<char*>(map_memory(stack_bytes + guard_bytes));
  if (all.made < 16'000) ::mprotect(memory, guard_bytes, PROT_NONE);  // of 65,530 mappings
  return {memory + guard_bytes, all.made++};
}

void give_back_stacks(const std::vector<Stack>& given) {
  Stacks& all = stacks();
  const std::lock_guard lock(all.mutex);
  all.free.insert(all.free.end(), given.begin(), given.end());
}

#ifdef KBENCH_EMULATION_HAS_UCONTEXT

void change(Context& from, Context& to) { ::swapcontext(&from.at, &to.at); }

void prepare(Context& context, const Stack& stack, void (*entry)()) {
  ::getcontext(&context.at);
  context.at.uc_stack.ss_sp = stack.low;
  context.at.uc_stack.ss_size = usable(stack);
  context.at.uc_link = nullptr;
  ::makecontext(&context.at, entry, 0);
}

#else

// Registers that a function must keep go onto the stack that is left.
extern "C" void kbench_emulation_change(void** from, void* to);
__asm__(R"(
.text
.globl kbench_emulation_change
.hidden kbench_emulation_change
.type kbench_emulation_change, @function
kbench_emulation_change:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kbench_emulation_change, .-kbench_emulation_change
)");

void change(Context& from, Context& to) { kbench_emulation_change(&from.at, to.at); }

// Makes it look as if entry() had been called: the stack is 8 more than a multiple of 16.
void prepare(Context& context, const Stack& stack, void (*entry)()) {
  constexpr int kept = 6;
  const auto top = reinterpret_cast<std::uintptr_t>(stack.low + usable(stack)) / 16 * 16 - 16;
  auto* at = reinterpret_cast<void**>(top);
  *at = nullptr;
  *--at = nullptr;
  *--at = reinterpret_cast<void*>(entry);
  for (int i = 0; i < kept; ++i) *--at = nullptr;
  context.at = at;
}

#endif

}  // namespace kbench_emulation
