#include "build/nvrtc_library/compile.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "base/cubins.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench::nvrtc {
namespace {

using Words = std::vector<std::string>;

struct Program;

void* open_library(const char* path) {
  if (void* const library = ::dlopen(path, RTLD_NOW)) return library;
  throw std::runtime_error("NVRTC cannot be loaded: " + std::string(::dlerror()));
}

// Calls an entry point, whose arguments have these types; most return 0 or an error's number.
template <class Result = int, class... Arguments>
Result call(void* library, const char* symbol, Arguments... arguments) {
  void* const function = ::dlsym(library, symbol);
  if (function == nullptr)
    throw std::runtime_error(std::string("NVRTC is too old: it has no ") + symbol);
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

std::string error_text(void* library, int error) {
  return call<const char*>(library, "nvrtcGetErrorString", error);
}

template <class... Arguments>
void check_call(void* library, const char* symbol, Arguments... arguments) {
  const int error = call(library, symbol, arguments...);
  if (error != 0) throw std::runtime_error(symbol + (": " + error_text(library, error)));
}

// Gets the text of "nvrtcGetCUBIN" and the like, whose size "nvrtcGetCUBINSize" gives.
std::string text_of(void* library, Program* program, const std::string& symbol) {
  std::size_t bytes = 0;
  check_call(library, (symbol + "Size").c_str(), program, &bytes);
  std::string text(bytes, '\0');
  check_call(library, symbol.c_str(), program, text.data());
  return text;
}

struct Compiled {
  bool is_good = false;
  std::string error;   // its name, if it is not good
  std::string log;     // output of the compiler and of ptxas
  std::string symbol;  // name of the kernel in the code
  std::string code;    // a cubin
};

Compiled compile(void* library, const std::string& text, const std::string& name,
                 const std::string& kernel, const Words& options) {
  using Texts = const char* const*;
  Program* program = nullptr;
  check_call(library, "nvrtcCreateProgram", &program, text.c_str(), name.c_str(), 0, Texts(nullptr),
             Texts(nullptr));
  if (!kernel.empty()) check_call(library, "nvrtcAddNameExpression", program, kernel.c_str());
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  Compiled result;
  const int error = call(library, "nvrtcCompileProgram", program, static_cast<int>(words.size()),
                         Texts(words.data()));
  result.log = text_of(library, program, "nvrtcGetProgramLog").c_str();  // ends in NUL
  result.is_good = error == 0;
  if (!result.is_good) {
    result.error = error_text(library, error);
    return result;
  }
  const char* symbol = "";
  if (!kernel.empty()) check_call(library, "nvrtcGetLoweredName", program, kernel.c_str(), &symbol);
  result.symbol = symbol;
  result.code = text_of(library, program, "nvrtcGetCUBIN");
  return result;
}

bool lacks_reason(const Compiled& made) {
  return !made.is_good && made.log.find("error") == std::string::npos;
}

int compile_all(void* library, const Words& words) {
  const std::string text = read_file(words[1]);
  std::vector<Cubin> cubins;
  std::string symbol;
  for (const std::string_view one : split(words[4], ',')) {
    const std::string architecture(one);
    Words options = {"--gpu-architecture=" + architecture};
    options.insert(options.end(), words.begin() + 5, words.end());
    Compiled made = compile(library, text, words[1], words[2], options);
    if (lacks_reason(made)) {
      // NVRTC with -v keeps errors of ptxas to itself.
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

}  // namespace

int run(const Words& words) {
  try {
    if (words.size() == 2 && words[1] == "--version") {
      int major = 0, minor = 0;
      check_call(open_library(words[0].c_str()), "nvrtcVersion", &major, &minor);
      std::printf("NVRTC %d.%d\n", major, minor);
      return 0;
    }
    if (words.size() >= 5) return compile_all(open_library(words[0].c_str()), words);
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: kbench-worker --nvrtc LIBRARY SOURCE KERNEL OUT ARCHITECTURES [OPTION]…\n",
             stderr);
  return 2;
}

}  // namespace kbench::nvrtc
