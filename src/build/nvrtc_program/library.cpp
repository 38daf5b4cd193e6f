#include "build/nvrtc_program/library.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace kbench::nvrtc {

Library open_library(const std::string& path) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW);
  if (handle == nullptr)
    throw std::runtime_error("NVRTC cannot be loaded: " + std::string(::dlerror()));
  Library library;
  const auto find = [handle]<class F>(F*& function, const char* symbol) {
    function = reinterpret_cast<F*>(::dlsym(handle, symbol));
    if (function == nullptr)
      throw std::runtime_error(std::string("NVRTC is too old: it has no ") + symbol);
  };
  find(library.version, "nvrtcVersion");
  find(library.error_text, "nvrtcGetErrorString");
  find(library.create, "nvrtcCreateProgram");
  find(library.add_name, "nvrtcAddNameExpression");
  find(library.compile, "nvrtcCompileProgram");
  find(library.lowered_name, "nvrtcGetLoweredName");
  find(library.log_size, "nvrtcGetProgramLogSize");
  find(library.log, "nvrtcGetProgramLog");
  find(library.code_size, "nvrtcGetCUBINSize");
  find(library.code, "nvrtcGetCUBIN");
  return library;
}

namespace {

void check(const Library& library, int error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + ": " + library.error_text(error));
}

using Size = int (*)(Program*, std::size_t*);
using Read = int (*)(Program*, char*);

std::string text_of(const Library& library, Program* program, Size size, Read read) {
  std::size_t bytes = 0;
  check(library, size(program, &bytes), "what NVRTC made");
  std::string text(bytes, '\0');
  check(library, read(program, text.data()), "what NVRTC made");
  return text;
}

}  // namespace

Compiled compile(const Library& library, const std::string& text, const std::string& name,
                 const std::string& kernel, const std::vector<std::string>& options) {
  Program* program = nullptr;
  check(library, library.create(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr),
        name.c_str());
  if (!kernel.empty()) check(library, library.add_name(program, kernel.c_str()), kernel.c_str());
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  Compiled result;
  const int error = library.compile(program, static_cast<int>(words.size()), words.data());
  result.log = text_of(library, program, library.log_size, library.log).c_str();  // ends in NUL
  result.is_good = error == 0;
  if (!result.is_good) {
    result.error = library.error_text(error);
    return result;
  }
  const char* symbol = nullptr;
  if (!kernel.empty())
    check(library, library.lowered_name(program, kernel.c_str(), &symbol), kernel.c_str());
  if (symbol != nullptr) result.symbol = symbol;
  result.code = text_of(library, program, library.code_size, library.code);
  return result;
}

}  // namespace kbench::nvrtc
