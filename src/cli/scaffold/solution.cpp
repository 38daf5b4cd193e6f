#include "cli/scaffold/solution.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "cli/scaffold/cpp_arguments.hpp"
#include "schema/check_function.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// Fields of a solution's "spec" beside its entry point.
struct NewSpec {
  Language language;
  std::vector<std::string> hardware = {"cpu"};
  bool passes_outputs = true;  // outputs are arguments, not returned values
  std::vector<std::string> compile_flags = {};
  std::optional<Binding> binding = {};
};

const std::vector<std::string> fast_code = {"-O3", "-march=native"};

Json spec_json(const NewSpec& spec, const std::string& entry_point) {
  Json out = {{"language", name_of(spec.language)},
              {"target_hardware", spec.hardware},
              {"entry_point", entry_point},
              {"destination_passing_style", spec.passes_outputs}};
  if (spec.binding) out["binding"] = name_of(*spec.binding);
  if (!spec.compile_flags.empty()) out["compile_flags"] = spec.compile_flags;
  return out;
}

// The solution's file and its sources, which lie beside it; the first of them is the one to edit,
// and its function `run` is the entry point.
NewSolution made(const Definition& definition, const SolutionNames& names, const NewSpec& spec,
                 std::vector<NewFile> sources) {
  const std::string folder =
      fmt::format("solutions/{}/{}/{}/", names.author, definition.op_type, definition.name);
  Json paths = Json::array();
  for (const NewFile& source : sources) paths.push_back({{"path", source.path}});
  const Json record = {{"name", names.name},
                       {"definition", definition.name},
                       {"author", names.author},
                       {"spec", spec_json(spec, sources.front().path + "::run")},
                       {"sources", paths}};
  NewSolution solution{{{folder + names.name + ".json", record.dump(2) + "\n"}},
                       folder + sources.front().path,
                       false};
  for (NewFile& source : sources)
    solution.files.push_back({folder + source.path, std::move(source.text)});
  return solution;
}

// The reference as comments. A carriage return ends a comment, too, for compilers; a line that ends
// with a backslash, or its trigraph, would comment the next one out.
std::string reference_as_comment(const Definition& definition) {
  std::string body;
  const std::string text = replace_all(replace_all(definition.reference, "\r\n", "\n"), "\r", "\n");
  for (const std::string_view line : split(trim(text), '\n')) {
    const bool joins_the_next = line.ends_with('\\') || line.ends_with("?\?/");
    body +=
        fmt::format("  //{}{}{}\n", line.empty() ? "" : " ", line, joins_the_next ? " ..." : "");
  }
  return body;
}

std::string unwritten_body(const Definition& definition, const char* function) {
  return filled("unwritten/body.cpp",
                {{"reference", reference_as_comment(definition)}, {"function", function}});
}

// Marks arguments that a body not written yet does not read.
const char* unused(const Starter* starter) { return starter == nullptr ? "[[maybe_unused]] " : ""; }

NewSolution cpp_solution(const Definition& definition, const SolutionNames& names) {
  const CppHeader header = cpp_header(definition);
  const Starter* const starter = starter_of(definition);
  const std::string header_path = header.scope + ".h";
  std::string text =
      filled("solution.cpp",
             {{"header", header_path},
              {"scope", header.scope},
              {"unused", unused(starter)},
              {"body", starter == nullptr ? unwritten_body(definition, "compute")
                                          : starter->text("compute.cpp", {{"x", "a"}, {"y", "a"}})},
              {"parameters", header.parameters},
              {"arguments", header.arguments}});
  NewSolution solution = made(definition, names, {Language::cpp, {"cpu"}, true, fast_code},
                              {{names.name + ".cpp", std::move(text)}, {header_path, header.text}});
  solution.is_right = starter != nullptr;
  return solution;
}

std::string sidecar_text(const NewGradient& gradient) {
  std::string residuals = gradient.residuals.items.empty() ? " []" : "";
  for (const auto& [name, spec] : gradient.residuals)
    residuals += fmt::format("\n  - {{name: {}, shape: [{}], dtype: {}}}", name,
                             join(spec.shape.value_or(std::vector<std::string>{}), ", "),
                             name_of(spec.dtype));
  return filled("gradient.kbench.yaml",
                {{"nondiff", join(gradient.nondiff, ", ")}, {"residuals", residuals}});
}

std::string gradient_text(const Definition& definition, const GradientHeader& header,
                          const std::string& header_path) {
  const Starter* const starter = starter_of(definition);
  const bool is_written = starter != nullptr;
  return filled("gradient.cpp",
                {{"header", header_path},
                 {"scope", header.scope},
                 {"unused", unused(starter)},
                 {"forward", is_written ? starter->text("compute.cpp", {{"x", "x"}, {"y", "y"}})
                                        : unwritten_body(definition, "forward")},
                 {"backward", is_written ? starter->text("backward.cpp")
                                         : unwritten_body(definition, "backward")},
                 {"run", header.run.parameters},
                 {"run_statements", header.run.statements}});
}

// The reference itself, without its check(): it is right, and there to be made faster.
NewSolution python_solution(const Definition& definition, const SolutionNames& names) {
  NewSolution solution = made(definition, names, {Language::python, {"cpu"}, false},
                              {{names.name + ".py", text_without_check(definition)}});
  solution.is_right = true;
  return solution;
}

// "torch::Tensor x, double factor"
std::string torch_parameters(const Definition& definition) {
  CppNames names;
  std::string out;
  for (const auto& [name, spec] : definition.inputs) {
    const CppArgument argument{names.make(name), &spec, false};
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ",
                       argument.is_scalar() ? argument.parameter_type() : "torch::Tensor",
                       argument.name);
  }
  return out;
}

std::string torch_result(const Definition& definition) {
  const std::size_t count = definition.outputs.size();
  if (count == 1) return "torch::Tensor";
  return "std::tuple<" + join(std::vector<std::string>(count, "torch::Tensor"), ", ") + ">";
}

// A solution of one file. `file` names its templates: the whole text, a starter's functions, and
// those that are not written yet, which `values` are for.
NewSolution one_file_solution(const Definition& definition, const SolutionNames& names,
                              const NewSpec& spec, const std::string& file,
                              const TemplateValues& values) {
  const Starter* const starter = starter_of(definition);
  const std::string functions =
      starter != nullptr ? starter->text(file) : filled("unwritten/" + file, values);
  NewSolution solution =
      made(definition, names, spec,
           {{names.name + file.substr(file.find('.')), filled(file, {{"functions", functions}})}});
  solution.is_right = starter != nullptr;
  return solution;
}

NewSolution torch_solution(const Definition& definition, const SolutionNames& names) {
  return one_file_solution(definition, names,
                           {Language::cpp, {"cpu"}, false, fast_code, Binding::torch}, "torch.cpp",
                           {{"result", torch_result(definition)},
                            {"parameters", torch_parameters(definition)},
                            {"reference", reference_as_comment(definition)}});
}

// Target hardware of a new solution, for its author to edit: CUDA is built for it.
constexpr const char* first_gpu = "NVIDIA H100";

NewSolution cuda_solution(const Definition& definition, const SolutionNames& names) {
  return one_file_solution(definition, names, {Language::cuda, {first_gpu}}, "cuda.cu",
                           {{"parameters", cpp_header(definition).parameters},
                            {"body", unwritten_body(definition, "run")}});
}

NewSolution triton_solution(const Definition& definition, const SolutionNames& names) {
  std::vector<std::string> parameters;
  CppNames own;  // Python takes them, too
  for (const auto* const tensors : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *tensors) parameters.push_back(own.make(name));
  return one_file_solution(definition, names, {Language::triton, {first_gpu}}, "triton.py",
                           {{"parameters", join(parameters, ", ")}});
}

constexpr StarterLanguage languages[] = {{"cpp", &cpp_solution},
                                         {"torch", &torch_solution},
                                         {"python", &python_solution},
                                         {"cuda", &cuda_solution},
                                         {"triton", &triton_solution}};

}  // namespace

std::span<const StarterLanguage> starter_languages() { return languages; }

NewSolution gradient_solution(const Definition& definition, const SolutionNames& names,
                              const NewGradient& gradient) {
  const GradientHeader header = gradient_header(definition, gradient);
  const std::string header_path = header.scope + "_gradient.h";
  NewSolution solution =
      made(definition, names, {Language::cpp, {"cpu"}, true, fast_code},
           {{names.name + ".cpp", gradient_text(definition, header, header_path)},
            {header_path, header.text}});
  const std::string& record = solution.files.front().path;
  const std::string sidecar = record.substr(0, record.size() - std::string_view(".json").size());
  solution.files.push_back({sidecar + ".kbench.yaml", sidecar_text(gradient)});
  solution.is_right = starter_of(definition) != nullptr;
  return solution;
}

}  // namespace kbench
