// Gives itself more memory and its parent less.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <new>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

// At an address whose low half is 0, which a filter of 32 bits may take for no address.
const rlimit* at_a_round_address(const rlimit& limits) {
  void* const wanted = reinterpret_cast<void*>(std::uintptr_t{0x10} << 32);
  void* const page = mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == wanted ? new (page) rlimit(limits) : &limits;
}

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
  const rlimit less{1 << 30, RLIM_INFINITY};
  attack.tried("setrlimit", setrlimit(RLIMIT_DATA, &more));
  attack.tried("prlimit", syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, &less, nullptr));
  attack.tried("setrlimit", setrlimit(RLIMIT_FSIZE, &more));
  const rlimit* const hidden = at_a_round_address(less);
  attack.tried("prlimit", syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, hidden, nullptr));
  attack.tried("own prlimit", syscall(SYS_prlimit64, 0, RLIMIT_CORE, hidden, nullptr));
  rlimit found;
  if (getppid() != 0)  // it sees no parent in a namespace of its own
    attack.tried("its parent's limits",
                 syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, nullptr, &found));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
