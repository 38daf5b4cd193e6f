#include "reference/torch/serving/entry.hpp"

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/torch/serving/check.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/python.hpp"
#include "reference/torch/serving/services.hpp"
#include "sandbox/forks.hpp"

namespace kbench {
namespace {

constexpr int judge_socket = 3;
constexpr std::string_view host_word = "--host";

// Python's start takes seconds: one process has it, and each fork goes on with the judge's word.
void serve_in_forks() {
  warm_up();
  greet(judge_socket, libtorch_version());
  if (fork_for_judge(Leftovers::kept) == host_word)
    host(judge_socket);
  else
    serve(judge_socket);
}

int run_words(const std::vector<std::string>& words) {
  if (words.empty()) {
    is_python() ? serve_in_forks() : serve(judge_socket);
    return 0;
  }
  if (words.front() == host_word && words.size() == 1) {
    host(judge_socket);
    return 0;
  }
  if (words.front() == "--compile") return check_files(std::span(words).subspan(1)) == 0 ? 0 : 1;
  if (words.front() == "--version") {
    std::puts(libtorch_version().c_str());
    return 0;
  }
  std::fputs("usage: kbench-torch [--version | --compile FILE… | [--python] [--host]]\n", stderr);
  return 2;
}

}  // namespace
}  // namespace kbench

int kbench_torch_main(int count, char** words, PyObject* glue) try {
  if (glue != nullptr) kbench::enter_python(glue);
  const int status = kbench::run_words({words + 1, words + count});
  std::fflush(nullptr);
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "kbench-torch: %s\n", error.what());
  return 3;
}
