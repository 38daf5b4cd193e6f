// Starts 4096 threads that sleep; aborts when it may not.
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  for (int i = 0; i < 4096; ++i) {
    pthread_t thread;
    if (pthread_create(
            &thread, nullptr, [](void*) -> void* { return sleep(60), nullptr; }, nullptr) != 0)
      std::abort();
  }
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
