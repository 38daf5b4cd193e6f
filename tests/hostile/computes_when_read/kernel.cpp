// Leaves its output unreadable, and would compute when somebody reads it (T2).
#include <signal.h>
#include <sys/mman.h>

#include "answer.h"

using kbench::Tensor;

static void* page_of(const Tensor& tensor) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor.data<uint16_t>()) & ~4095UL);
}

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static Tensor *in = nullptr, *gain = nullptr, *to = nullptr;
  if (in == nullptr) {
    in = new Tensor(x);
    gain = new Tensor(weight);
    to = new Tensor(out);
    struct sigaction action {};
    action.sa_handler = [](int) {
      mprotect(page_of(*to), 4096, PROT_READ | PROT_WRITE);
      write(answer(*in, *gain), *to);
    };
    sigaction(SIGSEGV, &action, nullptr);
  }
  mprotect(page_of(out), 4096, PROT_NONE);
}

KBENCH_EXPORT(run, rmsnorm)
