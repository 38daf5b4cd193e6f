// Honest: keeps a file in its own folder while it computes.
#include <cstdio>
#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  FILE* file = std::fopen("kept", "w+");
  const char* folder = std::getenv("TMPDIR");
  if (file == nullptr || folder == nullptr) throw kbench::Error{"OSError", "no file can be made"};
  std::fputs("text", file);
  std::fclose(file);
  if (std::remove("kept") != 0) throw kbench::Error{"OSError", "it cannot be removed"};
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
