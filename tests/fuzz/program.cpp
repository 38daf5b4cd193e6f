// A program of ExecuTorch: any bytes give a program or an error with its byte.
#include "kernels/registry/executorch_program.hpp"
#include "support.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Diagnostics problems;
  const auto program = read_program(bytes, "fuzz.pte", problems);
  FUZZ_CHECK(program.has_value() == (problems.errors() == 0));
  for (const Diagnostic& problem : problems.items())
    FUZZ_CHECK(problem.message.find("at byte ") != std::string::npos);
  if (!program) return 0;
  for (const ProgramCall& call : program->calls) {
    FUZZ_CHECK(std::find(program->operators.begin(), program->operators.end(), call.op) !=
               program->operators.end());
    for (const auto& one : call.arguments) {
      if (one && one->dim_order) FUZZ_CHECK(dim_order_problem(*one->dim_order).empty());
    }
  }
  return 0;
}
