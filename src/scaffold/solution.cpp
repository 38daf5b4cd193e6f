#include "scaffold/solution.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "scaffold/cpp_header.hpp"
#include "scaffold/starters.hpp"
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
std::string unwritten_body(const Definition& definition) {
  std::string body;
  for (const std::string_view line : split(trim(definition.reference), '\n'))
    body += fmt::format("  //{}{}{}\n", line.empty() ? "" : " ", line,
                        line.ends_with('\\') ? " ..." : "");
  return body +
         "  throw kbench::Error{\"NotImplementedError\", \"compute() is not written yet\"};\n";
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

// The reference itself: it is right, and there to be made faster.
NewSolution python_solution(const Definition& definition, const SolutionNames& names) {
  NewSolution solution =
      made(definition, names, Language::python, {{names.name + ".py", definition.reference}});
  solution.is_right = true;
  return solution;
}

constexpr StarterLanguage languages[] = {{Language::cpp, &cpp_solution},
                                         {Language::python, &python_solution}};

}  // namespace

std::span<const StarterLanguage> starter_languages() { return languages; }

}  // namespace kbench
