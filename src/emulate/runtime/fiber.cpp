#include "emulate/runtime/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "emulate/runtime/region.hpp"

namespace kbench_emulation {
namespace {

constexpr std::size_t guard_bytes = 4096;

// Not all stacks begin in the same lines of a cache.
std::size_t usable(const Stack& stack) { return stack_bytes - stack.number % 61 * 192; }

}  // namespace

Stack make_stack(unsigned number) {
  char* const memory = static_cast<char*>(map_memory(stack_bytes + guard_bytes));
  ::mprotect(memory, guard_bytes, PROT_NONE);
  return {memory + guard_bytes, number};
}

void free_stack(const Stack& stack) {
  unmap_memory(stack.low - guard_bytes, stack_bytes + guard_bytes);
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

// The registers that a function must keep go onto the stack that is left.
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

// As if entry() had been called: the stack is 8 more than a multiple of 16.
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
