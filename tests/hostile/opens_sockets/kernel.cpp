// Opens sockets of every family.
#include <sys/socket.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  for (int family = 0; family < 48; ++family) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
      attack.tried("socket", socket(family, type, 0));
  }
  int pair[2];
  attack.tried("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
