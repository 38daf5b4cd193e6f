// kbench-worker: maps one candidate's library and calls it. No LibTorch, no files, nothing worth
// tampering with. Started by kbench (exec/candidate.cpp) with the descriptors of
// worker_protocol.hpp, or with a channel to fork workers by: kbench-worker --forks
// (sandbox/forks.hpp). Asked what a library registers: kbench-worker --kernels LIBRARY
// (exec/registered_kernels.cpp).
#include <string_view>

#include "sandbox/forks.hpp"
#include "worker/kernel_listing.hpp"
#include "worker/session.hpp"

int main(int count, char** words) {
  if (count == 3 && std::string_view(words[1]) == "--kernels")
    return kbench::worker::list_kernels(words[2]);
  const auto serve = [] { return kbench::worker::serve(&kbench::worker::load_library); };
  if (count < 2 || std::string_view(words[1]) != kbench::forks_word) return serve();
  kbench::fork_for_judge(kbench::Leftovers::removed);
  return kbench::run_elsewhere(serve);
}
