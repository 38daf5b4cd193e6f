// Waits for a lock that it holds itself.
#include <pthread.h>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

KBENCH_EXPORT(run, rmsnorm)
