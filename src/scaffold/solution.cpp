#include "scaffold/solution.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "scaffold/cpp_arguments.hpp"
#include "scaffold/cpp_header.hpp"
#include "scaffold/starters.hpp"
#include "schema/check_function.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// What a solution's "spec" says beside its entry point.
struct NewSpec {
  Language language;
  std::vector<std::string> hardware = {"cpu"};
  bool passes_outputs = true;  // to the function, in the place of taking what it returns
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

// The reference as comments: a line that ends with a backslash would comment the next one out.
std::string reference_as_comment(const Definition& definition) {
  std::string body;
  for (const std::string_view line : split(trim(definition.reference), '\n'))
    body += fmt::format("  //{}{}{}\n", line.empty() ? "" : " ", line,
                        line.ends_with('\\') ? " ..." : "");
  return body;
}

std::string unwritten_body(const Definition& definition, const char* function = "compute") {
  return reference_as_comment(definition) +
         fmt::format(
             "  throw kbench::Error{{\"NotImplementedError\", \"{}() is not written yet\"}};\n",
             function);
}

NewSolution cpp_solution(const Definition& definition, const SolutionNames& names) {
  const CppHeader header = cpp_header(definition);
  const Starter* starter = starter_of(definition);
  const std::string header_path = header.scope + ".h";
  const std::string text = fmt::format(
      "#include \"{0}\"\n\nusing namespace {1};\n\n"
      "// Writes the outputs. Checked already: dtypes, shapes, that all is contiguous.\n"
      "static void compute({2}const Arguments& a) {{\n{3}}}\n\n"
      "static void run({4}) {{\n  compute(arguments({5}));\n}}\n\nKBENCH_EXPORT(run, run)\n",
      header_path, header.scope, starter == nullptr ? "[[maybe_unused]] " : "",
      starter == nullptr ? unwritten_body(definition) : starter->cpp_body, header.parameters,
      header.arguments);
  NewSolution solution = made(definition, names, {Language::cpp, {"cpu"}, true, fast_code},
                              {{names.name + ".cpp", text}, {header_path, header.text}});
  solution.is_right = starter != nullptr;
  return solution;
}

std::string sidecar_text(const NewGradient& gradient) {
  std::string text =
      "schema: kbench.kernel/1\n"
      "# Inputs that have no gradient.\n"
      "nondiff: [" +
      join(gradient.nondiff, ", ") +
      "]\n"
      "# What forward keeps for backward, as in\n"
      "#   - {name: scale, shape: [an_axis], dtype: float32}\n"
      "# The same kbench new solution --gradient writes the header anew by these.\n";
  if (gradient.residuals.items.empty()) return text + "residuals: []\n";
  text += "residuals:\n";
  for (const auto& [name, spec] : gradient.residuals)
    text += fmt::format("  - {{name: {}, shape: [{}], dtype: {}}}\n", name,
                        join(spec.shape.value_or(std::vector<std::string>{}), ", "),
                        name_of(spec.dtype));
  return text;
}

// A function that the host calls: makes the structs, and hands them on.
std::string entry_text(std::string_view name, const CppCall& call, std::string_view then) {
  std::string text = fmt::format("static void {}({}) {{\n", name, call.parameters);
  for (const std::string& statement : call.statements) text += "  " + statement + "\n";
  return text + fmt::format("  {}\n}}\n", then);
}

std::string gradient_text(const Definition& definition, const GradientHeader& header,
                          const std::string& header_path) {
  const Starter* const starter = starter_of(definition);
  const char* const unused = starter == nullptr ? "[[maybe_unused]] " : "";
  const auto body = [&](std::string_view own, const char* function) {
    return starter == nullptr ? unwritten_body(definition, function) : std::string(own);
  };
  std::string text = fmt::format(
      "#include \"{0}\"\n\nusing namespace {1};\n\n"
      "// Writes the outputs. Checked already: dtypes, shapes, that all is contiguous.\n"
      "static void forward({2}const Inputs& x, {2}const Outputs& y) {{\n{3}}}\n\n"
      "// Writes what backward() needs beside x and y.\n"
      "static void keep([[maybe_unused]] const Inputs& x, [[maybe_unused]] const Outputs& y,\n"
      "                 [[maybe_unused]] const Residuals& kept) {{}}\n\n"
      "// Writes the gradient of the sum of dy times y by each input.\n"
      "static void backward([[maybe_unused]] const Residuals& kept, {2}const Inputs& x,\n"
      "                     [[maybe_unused]] const Outputs& y, {2}const OutputGradients& dy,\n"
      "                     {2}const InputGradients& dx) {{\n{4}}}\n\n",
      header_path, header.scope, unused,
      body(starter == nullptr ? "" : starter->cpp_forward, "forward"),
      body(starter == nullptr ? "" : starter->cpp_backward, "backward"));
  text += entry_text("run", header.run, "forward(x, y);");
  return text +
         "\nstatic constexpr auto fwd_with_residuals = &forward_of<&forward, &keep>;\n"
         "static constexpr auto vjp = &backward_of<&backward>;\n"
         "\nKBENCH_EXPORT(run, run)\nKBENCH_EXPORT(fwd_with_residuals, fwd_with_residuals)\n"
         "KBENCH_EXPORT(vjp, vjp)\n";
}

// The reference itself: it is right, and there to be made faster. Its check() is no part of that.
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

// A solution of one file: `head`, functions, `tail`.
struct OneFile {
  NewSpec spec;
  const char* extension;
  const char* head;
  std::string_view Starter::*functions;  // that compute what a starter's reference does
  const char* tail;
};

NewSolution one_file_solution(const Definition& definition, const SolutionNames& names,
                              const OneFile& file, const std::string& unwritten) {
  const Starter* const starter = starter_of(definition);
  const std::string functions =
      starter != nullptr ? std::string(starter->*file.functions) : unwritten;
  NewSolution solution = made(definition, names, file.spec,
                              {{names.name + file.extension, file.head + functions + file.tail}});
  solution.is_right = starter != nullptr;
  return solution;
}

NewSolution torch_solution(const Definition& definition, const SolutionNames& names) {
  const OneFile file{{Language::cpp, {"cpu"}, false, fast_code, Binding::torch},
                     ".cpp",
                     "#include <torch/extension.h>\n\n#include <stdexcept>\n#include <tuple>\n\n",
                     &Starter::torch_text,
                     "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n"};
  return one_file_solution(
      definition, names, file,
      fmt::format("// Returns the outputs.\nstatic {} run({}) {{\n{}}}\n", torch_result(definition),
                  torch_parameters(definition),
                  reference_as_comment(definition) +
                      "  throw std::runtime_error(\"run() is not written yet\");\n"));
}

// To be edited; it is built for the GPU that is there.
constexpr const char* first_gpu = "NVIDIA H100";

NewSolution cuda_solution(const Definition& definition, const SolutionNames& names) {
  const OneFile file{{Language::cuda, {first_gpu}},
                     ".cu",
                     "#include \"kbench_cuda.h\"\n\n",
                     &Starter::cuda_text,
                     "\nKBENCH_EXPORT(run, run)\n"};
  return one_file_solution(
      definition, names, file,
      fmt::format("// Launches what writes the outputs.\nstatic void run({}) {{\n{}}}\n",
                  cpp_header(definition).parameters, unwritten_body(definition, "run")));
}

NewSolution triton_solution(const Definition& definition, const SolutionNames& names) {
  const OneFile file{{Language::triton, {first_gpu}},
                     ".py",
                     "import triton\nimport triton.language as tl\n\n\n",
                     &Starter::triton_text,
                     ""};
  std::vector<std::string> parameters;
  CppNames own;  // Python takes them, too
  for (const auto* const tensors : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *tensors) parameters.push_back(own.make(name));
  return one_file_solution(
      definition, names, file,
      fmt::format("# Launches what writes the outputs.\ndef run({}):\n"
                  "    raise NotImplementedError(\"run() is not written yet\")\n",
                  join(parameters, ", ")));
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
