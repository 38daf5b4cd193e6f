// Right, with a thread that waits for work between the calls.
#include <semaphore.h>

#include <thread>

#include "right.h"

using kbench::Tensor;

static sem_t begin, end;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static std::thread helper([] {
    for (;; sem_post(&end)) sem_wait(&begin);
  });
  right(x, weight, out);
  sem_post(&begin);
  sem_wait(&end);
}

KBENCH_EXPORT(run, rmsnorm)
