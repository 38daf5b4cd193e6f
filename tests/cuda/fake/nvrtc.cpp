// A stand-in for NVRTC: the entry points that kbench-worker calls. The emulator runs what it
// compiles when the stand-in driver launches it.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Program {
  std::string source, name, kernel, log, code;
};

Program& program_at(void* handle) { return *static_cast<Program*>(handle); }

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// Program beside the folder that this library is in: tests/CMakeLists.txt copies it.
fs::path script() {
  Dl_info where{};
  ::dladdr(reinterpret_cast<void*>(&script), &where);
  return fs::path(where.dli_fname).parent_path().parent_path() / "libexec" / "bin" / "nvrtc";
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  ::pclose(pipe);
  return output;
}

int copy(const std::string& text, char* to) {
  text.copy(to, text.size());
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 5, 0; }
const char* nvrtcGetErrorString(int error) {
  return error == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OTHER";
}
int nvrtcCreateProgram(void** program, const char* source, const char* name, int,
                       const char* const*, const char* const*) {
  *program = new Program{source, name, {}, {}, {}};
  return 0;
}
int nvrtcAddNameExpression(void* program, const char* kernel) {
  program_at(program).kernel = kernel;
  return 0;
}
int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = program_at(handle);
  const fs::path folder = fs::temp_directory_path() / "nvrtc";
  fs::create_directories(folder);
  const fs::path library = folder / "kernel.so";
  std::ofstream(folder / program.name) << program.source;
  std::string command = script().string();
  for (const std::string& word :
       {(folder / program.name).string(), program.kernel, library.string()})
    command += " " + quoted(word);
  for (int i = 0; i < count; ++i) command += " " + quoted(options[i]);
  program.log = output_of(command);
  program.code = read(library);
  fs::remove_all(folder);
  return program.code.empty() ? 6 : 0;
}
int nvrtcGetLoweredName(void*, const char*, const char** name) {
  return *name = "emulated_kernel", 0;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  return *size = program_at(program).log.size() + 1, 0;
}
int nvrtcGetProgramLog(void* program, char* log) { return copy(program_at(program).log, log); }
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  return *size = program_at(program).code.size(), 0;
}
int nvrtcGetCUBIN(void* program, char* code) { return copy(program_at(program).code, code); }
}
