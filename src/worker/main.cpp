// kbench-worker: maps one candidate's library and calls it; nothing here is worth tampering with.
// kbench starts it with the descriptors of worker_protocol.hpp, with a channel to fork workers by
// (--forks), to list what a library registers (--kernels LIBRARY) or to compile a kernel (--nvrtc).
#include <string_view>

#include "build/nvrtc_library/compile.hpp"
#include "sandbox/forks.hpp"
#include "worker/kernel_listing.hpp"
#include "worker/session.hpp"

int main(int count, char** words) {
  const std::string_view mode = count > 1 ? words[1] : "";
  if (mode == "--kernels" && count == 3) return kbench::worker::list_kernels(words[2]);
  if (mode == "--nvrtc") return kbench::nvrtc::run({words + 2, words + count});
  const auto serve = [] { return kbench::worker::serve(&kbench::worker::load_library); };
  if (mode != kbench::forks_word) return serve();
  kbench::fork_for_judge(kbench::Leftovers::removed);
  return kbench::run_elsewhere(serve);
}
