#include "cli/scaffold/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";

const std::string& value_of(std::string_view word, const std::string& name,
                            const TemplateValues& values) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == word; });
  if (found == values.end())
    throw std::runtime_error(fmt::format("template {}: no value for {{{{{}}}}}", name, word));
  return found->second;
}

}  // namespace

std::string filled(const std::string& name, const TemplateValues& values) {
  const std::string text =
      read_file(installation().headers.parent_path() / "templates" / (name + ".in"));
  std::string out;
  std::size_t at = 0;
  for (auto open = text.find("{{"); open != text.npos; open = text.find("{{", open + 1)) {
    const auto end = text.find_first_not_of(letters, open + 2);
    if (end == open + 2 || text.compare(end, 2, "}}") != 0) continue;  // the text's own braces
    const std::string& value =
        value_of(std::string_view(text).substr(open + 2, end - open - 2), name, values);
    out += text.substr(at, open - at) + value;
    const bool ends_line = value.empty() || value.ends_with('\n');
    at = end + 2 + (ends_line && text.compare(end + 2, 1, "\n") == 0 ? 1 : 0);
  }
  return out + text.substr(at);
}

namespace {

const Starter table[] = {
    {"scale", "one pass over rows", {{{"batch", 4}}}, {{{"batch", 512}}}},
    {"gemm", "a matrix product", {{{"M", 1}}}, {{{"M", 64}}}},
};

bool are_alike(const OrderedMap<TensorSpec>& a, const OrderedMap<TensorSpec>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape == y.second.shape &&
           x.second.dtype == y.second.dtype;
  });
}

bool are_alike(const OrderedMap<Axis>& a, const OrderedMap<Axis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.index() == y.second.index();
  });
}

}  // namespace

Definition Starter::definition() const {
  Diagnostics problems;
  const auto read = read_text<Definition>(
      {fmt::format("{}/definition.json", name), text("definition.json")}, {}, problems);
  if (!read) throw std::runtime_error(render(problems.items().front(), false));
  return *read;
}

std::string Starter::text(std::string_view file, const TemplateValues& values) const {
  return filled(fmt::format("{}/{}", name, file), values);
}

std::span<const Starter> starters() { return table; }

const Starter* find_starter(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Starter& starter) { return starter.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

const Starter* starter_of(const Definition& definition) {
  for (const Starter& starter : table) {
    const Definition own = starter.definition();
    if (own.reference == definition.reference && are_alike(own.axes, definition.axes) &&
        are_alike(own.inputs, definition.inputs) && are_alike(own.outputs, definition.outputs))
      return &starter;
  }
  return nullptr;
}

NewFile definition_file(const Definition& definition) {
  return {fmt::format("definitions/{}/{}.json", definition.op_type, definition.name),
          to_json(definition, Dump::full, 2) + "\n"};
}

std::vector<NewFile> kernel_library_files(const std::string& name) {
  std::vector<NewFile> files;
  for (const char* file :
       {"kernels.yaml", "kernels.kbench.yaml", "kernels.cpp", "main.cpp", "CMakeLists.txt"})
    files.push_back({fmt::format("{}/{}", name, file),
                     filled(fmt::format("kernels/{}", file), {{"library", name}})});
  return files;
}

}  // namespace kbench
