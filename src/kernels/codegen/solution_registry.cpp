// Solutions in C++ → code that a program calls.
#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/condition_code.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/codegen/solution_writer.hpp"
#include "kernels/operators/name_rules.hpp"

namespace kbench {
namespace {

// Returns an identifier such as "scale_d1024" for any name.
std::string cpp_identifier(std::string name) {
  for (char& c : name) {
    const bool is_part =
        c == '_' || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    if (!is_part) c = '_';
  }
  const bool is_taken = name.empty() || !ops::is_identifier(name) || ops::is_taken_in_cpp(name);
  return is_taken ? "d_" + name : name;
}

// Functions of a Definition in the files: one that calls, and one that only chooses.
class DefinitionWriter {
 public:
  explicit DefinitionWriter(const Definition& definition) : definition_(definition) {}

  std::string name() const { return cpp_identifier(definition_.name); }

  std::string declaration() const {
    return fmt::format("// {}\nkbench::Chosen {}({});\nkbench::Chosen choose_{}({});\n\n",
                       comment_in_cpp(definition_.name), name(), parameters(" = {}"), name(),
                       parameters(" = {}"));
  }

  std::string definition(const std::string& tables) const {
    return fmt::format(
        "namespace {{\n"
        "const std::vector<Solution>& solutions_of_{0}() {{\n"
        "  static const std::vector<Solution> all = {{\n{1}  }};\n  return all;\n}}\n\n"
        "Chosen serve_{0}({2}, bool is_called) {{\n{3}"
        "  return call.serve(solutions_of_{0}(), kbench_wish, is_called);\n}}\n"
        "}}  // namespace\n\n"
        "Chosen {0}({2}) {{ return serve_{0}({4}, true); }}\n"
        "Chosen choose_{0}({2}) {{ return serve_{0}({4}, false); }}\n\n",
        name(), tables, parameters(""), body(), arguments());
  }

 private:
  static std::string parameter_name(const std::string& name) { return "a_" + cpp_identifier(name); }

  static std::string scalar_type_code(DType dtype) {
    if (dtype == DType::boolean) return "bool";
    return info(dtype).kind == DTypeKind::floating ? "double" : "int64_t";
  }

  template <class Function>
  void for_each(Function function) const {
    for (const auto& [name, spec] : definition_.inputs) function(name, spec, false);
    for (const auto& [name, spec] : definition_.outputs) function(name, spec, true);
  }

  std::string parameters(const std::string& otherwise) const {
    std::vector<std::string> out;
    for_each([&](const std::string& name, const TensorSpec& spec, bool is_output) {
      const bool is_tensor = spec.shape || is_output;
      out.push_back((is_tensor ? "const kbench::DLTensor& " : scalar_type_code(spec.dtype) + " ") +
                    parameter_name(name));
    });
    out.push_back("const kbench::Wish& kbench_wish" + otherwise);
    return join(out, ", ");
  }

  std::string arguments() const {
    std::vector<std::string> out;
    for_each([&](const std::string& name, const TensorSpec&, bool) {
      out.push_back(parameter_name(name));
    });
    out.emplace_back("kbench_wish");
    return join(out, ", ");
  }

  std::size_t axis_number(const std::string& name) const {
    std::size_t i = 0;
    while (definition_.axes.items[i].first != name) ++i;
    return i;
  }

  std::string body() const {
    std::vector<std::string> axes, lengths;
    for (const auto& [name, axis] : definition_.axes) {
      axes.push_back(quoted_in_cpp(name));
      lengths.push_back(std::to_string(const_value(axis).value_or(-1)));
    }
    std::string out = fmt::format("  Call call({}, {}, {});\n", quoted_in_cpp(definition_.name),
                                  list_code(axes), list_code(lengths));
    for_each([&](const std::string& name, const TensorSpec& spec, bool is_output) {
      if (!spec.shape && !is_output) {
        out += fmt::format("  call.scalar({});\n", parameter_name(name));
        return;
      }
      std::vector<std::string> shape;
      for (const std::string& axis : spec.shape.value_or(std::vector<std::string>{}))
        shape.push_back(std::to_string(axis_number(axis)));
      out += fmt::format("  call.{}({}, {}, {{{}, {}, 1}}, {});\n", is_output ? "output" : "input",
                         quoted_in_cpp(name), parameter_name(name), info(spec.dtype).dlpack_code,
                         info(spec.dtype).bits, list_code(shape));
    });
    return out;
  }

  const Definition& definition_;
};

constexpr const char* error_runtime = R"(
// The text of what a Solution raised; a host of TVM-FFI in the program has its own.
extern "C" __attribute__((weak)) void TVMFFIErrorSetRaisedFromCStr(const char*, const char* message) {
  raised() = message;
}

)";

constexpr const char* passed_runtime = R"(
namespace {
[[maybe_unused]] kbench::Any passed(int64_t value) {
  kbench::Any any{kbench::kInt, 0, {0}};
  any.as_int = value;
  return any;
}
[[maybe_unused]] kbench::Any passed(int value) { return passed(static_cast<int64_t>(value)); }
[[maybe_unused]] kbench::Any passed(bool value) {
  kbench::Any any{kbench::kBoolean, 0, {0}};
  any.as_int = value ? 1 : 0;
  return any;
}
[[maybe_unused]] kbench::Any passed(double value) {
  kbench::Any any{kbench::kFloat, 0, {0}};
  any.as_float = value;
  return any;
}
}  // namespace

)";

}  // namespace

GeneratedCode generate_solutions(const CodegenInput& input, const CodegenOptions&,
                                 Diagnostics& diagnostics) {
  const std::vector<ServedSolution>& solutions = input.solutions;
  GeneratedCode code;
  std::string declarations, header, source, cmake;
  std::set<std::string> names;
  for (std::size_t begin = 0, end = 0; begin < solutions.size(); begin = end) {
    const Definition& definition = *solutions[begin].definition;
    std::string tables;
    for (end = begin; end < solutions.size() && solutions[end].definition == &definition; ++end) {
      const SolutionWriter writer(solutions[end], end);
      if (const std::string flaw = writer.flaw(); !flaw.empty()) {
        diagnostics.warning({solutions[end].solution.name}, "is left out: " + flaw);
        continue;
      }
      tables += writer.table();
      declarations += writer.declarations();
      cmake += writer.cmake();
      for (GeneratedFile& file : writer.files()) code.files.push_back(std::move(file));
      ++code.kernels;
    }
    const DefinitionWriter writer(definition);
    if (!names.insert(writer.name()).second)
      diagnostics.error({definition.name},
                        fmt::format("another Definition is called {} in C++, too", writer.name()));
    header += writer.declaration();
    source += writer.definition(tables);
  }
  code.files.push_back({"kbench_solutions.h", generated_banner() +
                                                  "#pragma once\n\n#include \"kbench_choice.h\"\n\n"
                                                  "namespace kbench_solutions {\n\n" +
                                                  header + "}  // namespace kbench_solutions\n"});
  code.files.push_back({"kbench_solutions.cpp",
                        generated_banner() +
                            "#include \"kbench_solutions.h\"\n\nusing namespace kbench::choice;\n"
                            "using kbench::Chosen;\n\n" +
                            declarations + error_runtime + passed_runtime +
                            "namespace kbench_solutions {\n\n" + source +
                            "}  // namespace kbench_solutions\n"});
  code.files.push_back(
      {"kbench_solutions.cmake",
       "#" + generated_banner().substr(2) +
           "add_library(kbench_solutions STATIC)\n"
           "target_compile_features(kbench_solutions PUBLIC cxx_std_17)\n"
           "target_compile_options(kbench_solutions PRIVATE -O2)\n"
           "target_include_directories(kbench_solutions PUBLIC ${CMAKE_CURRENT_LIST_DIR})\n"
           "target_sources(kbench_solutions PRIVATE "
           "${CMAKE_CURRENT_LIST_DIR}/kbench_solutions.cpp)\n" +
           cmake});
  return code;
}

}  // namespace kbench
