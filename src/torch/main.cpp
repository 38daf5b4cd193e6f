#include <stdlib.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "torch/serving/check.hpp"
#include "torch/serving/execute.hpp"
#include "torch/serving/host.hpp"
#include "torch/serving/server.hpp"

namespace {

constexpr int judge_socket = 3;

int run(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "--compile") {
    return kbench::check_files(std::span(arguments).subspan(1)) == 0 ? 0 : 1;
  }
  if (!arguments.empty() && arguments.front() == "--version") {
    std::puts(kbench::libtorch_version().c_str());
    return 0;
  }
  if (arguments.size() == 2 && arguments.front() == "--host") {
    const bool is_python = arguments.back() == kbench::evaluator_name(kbench::Evaluator::python);
    kbench::host(judge_socket, is_python ? kbench::Evaluator::python : kbench::Evaluator::libtorch);
    return 0;
  }
  if (!arguments.empty()) {
    std::fputs("usage: kbench-torch [--version | --compile FILE… | --host EVALUATOR]\n", stderr);
    return 2;
  }
  kbench::serve(judge_socket);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // The loader has its copy; references and candidates need not know where LibTorch lies.
  ::unsetenv("LD_LIBRARY_PATH");
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kbench-torch: %s\n", error.what());
    return 3;
  }
}
