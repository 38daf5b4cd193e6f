// kbench-torch: finds a LibTorch and enters the library that fits it, here or in the interpreter of
// its environment. It is linked to no LibTorch itself.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/installation.hpp"
#include "base/python.hpp"

namespace {

namespace fs = std::filesystem;
using Main = int (*)(int count, char** words, void* glue);

void* load(const fs::path& library) {
  void* const loaded = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (loaded == nullptr) throw std::runtime_error(::dlerror());
  return loaded;
}

// Hides from references and candidates where LibTorch lies.
void forget_variables() {
  for (const char* name : kbench::libtorch_variables) ::unsetenv(name);
}

int run_here(const kbench::LibTorch& libtorch, const fs::path& library, int count, char** words) {
  forget_variables();
  load(libtorch.folder / "lib" / "libtorch_cpu.so");
  const auto main = reinterpret_cast<Main>(::dlsym(load(library), "kbench_torch_main"));
  if (main == nullptr) throw std::runtime_error(::dlerror());
  return main(count, words, nullptr);
}

int run_in_python(const kbench::LibTorch& libtorch, const fs::path& library, int count,
                  char** words) {
  const auto python = kbench::find_python(libtorch);
  if (!python) {
    throw std::runtime_error("there is no python3 for " + libtorch.folder.string() +
                             ": neither in its environment, nor in the active one, nor in PATH");
  }
  forget_variables();
  std::string program = python->program;
  // Isolated mode: no variable, no user's folder and no current directory has a say.
  std::vector<std::string> all = {
      program, "-I",           "-B", kbench::installation().plugins / "python" / "kbench_host.py",
      library, libtorch.folder};
  all.insert(all.end(), words, words + count);
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw std::system_error(errno, std::generic_category(), program);
}

}  // namespace

int main(int count, char** words) try {
  const auto libtorch = kbench::find_libtorch();
  const fs::path library = kbench::torch_library(libtorch);
  const bool is_for_python = count > 1 && std::string_view(words[1]) == "--python";
  return is_for_python ? run_in_python(*libtorch, library, count - 2, words + 2)
                       : run_here(*libtorch, library, count, words);
} catch (const std::exception& error) {
  std::fprintf(stderr, "kbench-torch: %s\n", error.what());
  return 3;
}
