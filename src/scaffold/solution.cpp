#include "scaffold/solution.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "scaffold/cpp_header.hpp"
#include "scaffold/starters.hpp"
#include "schema/check_function.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// The solution's file and its sources, which lie beside it; the first of them is the one to edit,
// and its function `run` is the entry point.
NewSolution made(const Definition& definition, const SolutionNames& names, Language language,
                 std::vector<NewFile> sources) {
  const std::string folder =
      fmt::format("solutions/{}/{}/{}/", names.author, definition.op_type, definition.name);
  const bool is_python = language == Language::python;
  Json paths = Json::array();
  for (const NewFile& source : sources) paths.push_back({{"path", source.path}});
  const Json record = {{"name", names.name},
                       {"definition", definition.name},
                       {"author", names.author},
                       {"spec",
                        {{"language", name_of(language)},
                         {"target_hardware", {"cpu"}},
                         {"entry_point", sources.front().path + "::run"},
                         {"destination_passing_style", !is_python}}},
                       {"sources", paths}};
  NewSolution solution{{{folder + names.name + ".json", record.dump(2) + "\n"}},
                       folder + sources.front().path,
                       false};
  for (NewFile& source : sources)
    solution.files.push_back({folder + source.path, std::move(source.text)});
  return solution;
}

// The reference as comments: a line that ends with a backslash would comment the next one out.
std::string unwritten_body(const Definition& definition, const char* function = "compute") {
  std::string body;
  for (const std::string_view line : split(trim(definition.reference), '\n'))
    body += fmt::format("  //{}{}{}\n", line.empty() ? "" : " ", line,
                        line.ends_with('\\') ? " ..." : "");
  return body +
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
  NewSolution solution = made(definition, names, Language::cpp,
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
  NewSolution solution = made(definition, names, Language::python,
                              {{names.name + ".py", text_without_check(definition)}});
  solution.is_right = true;
  return solution;
}

constexpr StarterLanguage languages[] = {{Language::cpp, &cpp_solution},
                                         {Language::python, &python_solution}};

}  // namespace

std::span<const StarterLanguage> starter_languages() { return languages; }

NewSolution gradient_solution(const Definition& definition, const SolutionNames& names,
                              const NewGradient& gradient) {
  const GradientHeader header = gradient_header(definition, gradient);
  const std::string header_path = header.scope + "_gradient.h";
  NewSolution solution =
      made(definition, names, Language::cpp,
           {{names.name + ".cpp", gradient_text(definition, header, header_path)},
            {header_path, header.text}});
  const std::string& record = solution.files.front().path;
  const std::string sidecar = record.substr(0, record.size() - std::string_view(".json").size());
  solution.files.push_back({sidecar + ".kbench.yaml", sidecar_text(gradient)});
  solution.is_right = starter_of(definition) != nullptr;
  return solution;
}

}  // namespace kbench
