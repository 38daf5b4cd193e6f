// Writes, makes, renames and removes files beside its own folder, and its own library.
#include <dlfcn.h>
#include <sys/stat.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&rmsnorm), &self);
  for (const char* file : {"/tmp/hostile", "/var/tmp/hostile", "/dev/shm/hostile", "/hostile",
                           "/usr/lib/hostile", "../hostile"}) {
    attack.opens(file, O_WRONLY | O_CREAT);
    attack.tried(file, mkdir(file, 0700));
  }
  attack.opens(self.dli_fname, O_WRONLY);
  attack.tried("chmod", chmod(self.dli_fname, 0777));
  attack.tried("rename", rename(self.dli_fname, "mine"));
  attack.tried("unlink", unlink(self.dli_fname));
  attack.tried("symlink", symlink("/etc/passwd", "/tmp/hostile"));
  attack.tried("truncate", truncate(self.dli_fname, 0));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
