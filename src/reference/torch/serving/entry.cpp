#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "reference/torch/script/program.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/python.hpp"
#include "reference/torch/serving/services.hpp"
#include "sandbox/forks.hpp"

namespace kbench {
namespace {

constexpr int judge_socket = 3;
constexpr std::string_view host_word = "--host";

// Python's start takes seconds: one process has it, and each fork goes on with the judge's request.
void serve_in_forks() {
  warm_up();
  greet(judge_socket, libtorch_version());
  if (fork_for_judge(Leftovers::kept) == host_word)
    host(judge_socket);
  else
    serve(judge_socket);
}

// Returns the arguments that a Definition declares. Shapes do not matter to the compiler, and a
// dtype that kbench does not know (uint8) is a tensor like any other.
std::vector<ReferenceArgument> arguments(const nlohmann::ordered_json& definition) {
  std::vector<ReferenceArgument> out;
  for (const auto& [name, spec] : definition.at("inputs").items()) {
    ReferenceArgument& argument = out.emplace_back();
    argument.name = name;
    argument.is_scalar = spec.at("shape").is_null();
    argument.dtype = find_dtype(spec.at("dtype").get<std::string>()).value_or(DType::float32);
  }
  return out;
}

// Tells which references LibTorch's compiler takes, without a judge. Prints a line for each
// Definition file: "ok FILE" or "no FILE:LINE: message". Returns how many did not compile.
int check_files(std::span<const std::string> files) {
  warm_up();
  int refused = 0;
  for (const std::string& file : files) {
    try {
      const auto definition = nlohmann::ordered_json::parse(read_file(file));
      const auto compiled =
          compile_reference(definition.at("reference").get<std::string>(), arguments(definition));
      if (const auto* error = std::get_if<CompileError>(&compiled)) {
        ++refused;
        std::printf("no %s:%d: %s\n", file.c_str(), error->line, error->message().c_str());
      } else {
        std::printf("ok %s\n", file.c_str());
      }
    } catch (const std::exception& error) {
      ++refused;
      std::printf("no %s:0: cannot be read: %s\n", file.c_str(), error.what());
    }
  }
  return refused;
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

// Entry of the library kbench-torch.so. Does what the words of a command line say, the first of
// which is the program's name. `glue`: the module kbench_glue of the interpreter that calls it;
// nullptr where none does. Returns the status to exit with.
extern "C" __attribute__((visibility("default"))) int kbench_torch_main(int count, char** words,
                                                                        PyObject* glue) try {
  if (glue != nullptr) kbench::enter_python(glue);
  const int status = kbench::run_words({words + 1, words + count});
  std::fflush(nullptr);
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "kbench-torch: %s\n", error.what());
  return 3;
}
