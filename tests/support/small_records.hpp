// Texts of small records, for tests that need files.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kbench {

// Definition of C[M, N] = A[M, N] * s; `constraint` is put among the constraints.
inline std::string definition_text(
    std::string_view name, std::string_view constraint = "M >= 1",
    std::string_view reference = R"(def run(A, s):\n    return A * s\n)") {
  return fmt::format(R"({{
  "name": "{}",
  "op_type": "scale",
  "description": "A times s",
  "axes": {{
    "M": {{"type": "var", "description": "rows"}},
    "N": {{"type": "const", "value": 4, "description": "columns"}}
  }},
  "inputs": {{
    "A": {{"shape": ["M", "N"], "dtype": "float32", "description": "input"}},
    "s": {{"shape": null, "dtype": "float32", "description": "factor"}}
  }},
  "outputs": {{
    "C": {{"shape": ["M", "N"], "dtype": "float32", "description": "result"}}
  }},
  "constraints": ["{}"],
  "reference": "{}"
}})",
                     name, constraint, reference);
}

inline std::string solution_text(std::string_view name, std::string_view definition,
                                 std::string_view author) {
  return fmt::format(R"({{"name": "{}", "definition": "{}", "author": "{}",
  "spec": {{"language": "cpp", "target_hardware": ["cpu"], "entry_point": "k.cpp::run"}},
  "sources": [{{"path": "k.cpp", "content": "void run();"}}]}})",
                     name, definition, author);
}

inline std::string workload_text(std::string_view uuid, int m,
                                 std::string_view input = R"({"type": "random"})") {
  return fmt::format(
      R"({{"axes": {{"M": {}}}, "inputs": {{"A": {}, "s": {{"type": "scalar", "value": 2}}}}, "uuid": "{}"}})",
      m, input, uuid);
}

// Line of workloads/.
inline std::string workload_line(std::string_view definition, std::string_view workload) {
  return fmt::format(
             R"({{"definition": "{}", "workload": {}, "solution": null, "evaluation": null}})",
             definition, workload) +
         "\n";
}

// Line of traces/.
inline std::string trace_line(std::string_view definition, std::string_view workload,
                              std::string_view solution, std::string_view status = "TIMEOUT") {
  return fmt::format(
             R"({{"definition": "{}", "workload": {}, "solution": "{}", "evaluation": {{"status": "{}", )"
             R"("environment": {{"hardware": "cpu"}}, "timestamp": "2026-01-01T00:00:00"}}}})",
             definition, workload, solution, status) +
         "\n";
}

}  // namespace kbench
