// A thread of it goes on writing to the output after the call has returned.
#include <thread>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  volatile uint16_t* first = out.data<uint16_t>();
  std::thread([first] {
    for (const uint16_t value = *first;;) *first = value;
  }).detach();
}

KBENCH_EXPORT(run, rmsnorm)
