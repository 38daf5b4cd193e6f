// Stacks, and the processor's change from one to another.
#pragma once

#include <cstddef>
#include <vector>

#if !defined(__x86_64__) || defined(KBENCH_EMULATION_UCONTEXT)
#define KBENCH_EMULATION_HAS_UCONTEXT 1
#include <ucontext.h>
#endif

namespace kbench_emulation {

constexpr std::size_t stack_bytes = 128 << 10;

struct Stack {
  char* low;
  unsigned number;  // decides at which line of the cache it begins
};
Stack take_stack();
void give_back_stacks(const std::vector<Stack>& given);

// Point where a fiber goes on.
struct Context {
#ifdef KBENCH_EMULATION_HAS_UCONTEXT
  ucontext_t at;
#else
  void* at = nullptr;
#endif
};
// Leaves `from` and goes on at `to`.
void change(Context& from, Context& to);
// Makes a context that calls entry(), which never returns.
void prepare(Context& context, const Stack& stack, void (*entry)());

}  // namespace kbench_emulation
