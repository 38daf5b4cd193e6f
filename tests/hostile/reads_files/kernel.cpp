// Reads files of the system and of the user, and lists folders.
#include <dirent.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  for (const char* file : {"/etc/passwd", "/etc/hostname", "/etc/shadow", "/proc/self/environ",
                           "/proc/self/maps", "/proc/1/cmdline", "/proc/self/mem"}) {
    attack.opens(file, O_RDONLY);
  }
  for (const char* folder :
       {"/", "/home", "/root", "/tmp", "/proc", "/proc/self/fd", "/etc", ".."}) {
    attack.tried(folder, opendir(folder) != nullptr ? 0 : -1);
  }
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
