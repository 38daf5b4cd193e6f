// kbench-nvrtc: compiles a CUDA source that has no code for the host. Started by kbench, confined.
//   kbench-nvrtc LIBRARY --version
//   kbench-nvrtc LIBRARY SOURCE KERNEL OUT ARCHITECTURE[,ARCHITECTURE]… [OPTION]…
// LIBRARY is libnvrtc. OUT gets the code for each architecture (base/cubins.hpp); what the compiler
// says is printed, and after it the symbol of the kernel: "kernel SYMBOL".
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/cubins.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "build/nvrtc_program/library.hpp"

namespace kbench::nvrtc {
namespace {

using Words = std::vector<std::string>;

int print_version(const Library& library) {
  int major = 0, minor = 0;
  library.version(&major, &minor);
  std::printf("NVRTC %d.%d\n", major, minor);
  return 0;
}

bool lacks_reason(const Compiled& made) {
  return !made.is_good && made.log.find("error") == std::string::npos;
}

int compile_all(const Library& library, const Words& words) {
  const std::string text = read_file(words[1]);
  std::vector<Cubin> cubins;
  std::string symbol;
  for (const std::string_view one : split(words[4], ',')) {
    const std::string architecture(one);
    Words options = {"--gpu-architecture=" + architecture};
    options.insert(options.end(), words.begin() + 5, words.end());
    Compiled made = compile(library, text, words[1], words[2], options);
    if (lacks_reason(made)) {
      // With -v NVRTC keeps to itself what ptxas says is wrong.
      std::erase(options, "--ptxas-options=-v");
      made = compile(library, text, words[1], words[2], options);
    }
    std::fputs(made.log.c_str(), stdout);
    if (lacks_reason(made)) std::printf("error: %s\n", made.error.c_str());
    if (!made.is_good) return 1;
    symbol = made.symbol;
    cubins.push_back({architecture, std::move(made.code)});
  }
  write_file(words[3], pack(cubins));
  std::printf("kernel %s\n", symbol.c_str());
  return 0;
}

int run(const Words& words) {
  if (words.size() == 2 && words[1] == "--version") return print_version(open_library(words[0]));
  if (words.size() >= 5) return compile_all(open_library(words[0]), words);
  std::fputs("usage: kbench-nvrtc LIBRARY SOURCE KERNEL OUT ARCHITECTURES [OPTION]…\n", stderr);
  return 2;
}

}  // namespace
}  // namespace kbench::nvrtc

int main(int argc, char** argv) {
  try {
    return kbench::nvrtc::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
