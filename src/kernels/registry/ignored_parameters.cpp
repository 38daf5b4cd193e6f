#include "kernels/registry/ignored_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/words.hpp"
#include "kernels/registry/conditions.hpp"
#include "kernels/registry/cpp_functions.hpp"
#include "kernels/registry/signature.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

// Words of a function's body in Python. Those of its `del` statements are apart.
struct PythonWords {
  std::set<std::string, std::less<>> deleted;
  std::set<std::string, std::less<>> others;
};

class PythonBody {
 public:
  PythonBody(std::string_view text, const python::Function& function)
      : text_(text), function_(function) {}

  PythonWords read() {
    const auto tokens = python::tokenize(text_);
    const auto* all = std::get_if<std::vector<python::Token>>(&tokens);
    if (all == nullptr) return {};
    for (const python::Token& token : *all)
      if (token.begin >= function_.body_begin && token.begin < function_.end) add(token);
    return std::move(words_);
  }

 private:
  using Kind = python::TokenKind;

  void add(const python::Token& token) {
    const std::string_view text = text_.substr(token.begin, token.end - token.begin);
    depth_ += static_cast<int>(token.kind == Kind::indent);
    depth_ -= static_cast<int>(token.kind == Kind::dedent);
    const bool ends = token.kind == Kind::newline || text == ";";
    const bool is_first = begins_statement_;
    begins_statement_ = ends || token.kind == Kind::indent || token.kind == Kind::dedent;
    if (ends) is_del_ = false;
    if (token.kind == Kind::string) add_all_of(text);
    if (token.kind != Kind::name) return;
    if (is_first && text == "del" && depth_ <= 1) {
      is_del_ = true;
    } else {
      (is_del_ ? words_.deleted : words_.others).emplace(text);
    }
  }

  // Adds the words of an f-string, which is one token.
  void add_all_of(std::string_view text) {
    std::string word;
    for (const char c : text) {
      const bool is_part =
          c == '_' || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
      if (is_part) word += c;
      if (!is_part) words_.others.insert(std::exchange(word, {}));
    }
  }

  std::string_view text_;
  const python::Function& function_;
  PythonWords words_;
  int depth_ = 0;  // 1: the top level of the body
  bool begins_statement_ = true;
  bool is_del_ = false;
};

// Returns a value that a condition can compare with: "-1", "0.5", "False", "None".
std::optional<std::string> comparable_value(std::string_view text) {
  const std::string value(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number || is_one_of(value, {"True", "False", "None"}) ? std::optional(value)
                                                                  : std::nullopt;
}

struct SourceEntry {
  const std::string* text = nullptr;
  std::string function;
};

std::vector<IgnoredParameter> ignored_in_python(const std::string& source, const std::string& entry,
                                                const std::vector<std::string>& inputs) {
  std::vector<IgnoredParameter> out;
  const auto parsed = python::parse_module(source);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr) return out;
  for (const python::Function& function : module->functions) {
    if (function.name != entry) continue;
    const PythonWords words = PythonBody(source, function).read();
    if (words.others.contains("locals") || words.others.contains("eval")) return out;
    for (std::size_t i = 0; i < std::min(inputs.size(), function.parameters.size()); ++i) {
      const python::Parameter& one = function.parameters[i];
      if (!words.deleted.contains(one.name) || words.others.contains(one.name)) continue;
      out.push_back({inputs[i], "del " + one.name, comparable_value(one.default_value)});
    }
  }
  return out;
}

std::vector<IgnoredParameter> ignored_in_cpp(const std::string& source, const std::string& function,
                                             const std::vector<std::string>& inputs) {
  std::vector<IgnoredParameter> out;
  std::vector<const CppFunction*> found;
  const CppSource code = read_cpp_source(source);
  for (const CppFunction& one : code.functions)
    if (one.name == function) found.push_back(&one);
  if (found.empty() || code.puts_names_together) return out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_unread = std::all_of(found.begin(), found.end(), [&](const CppFunction* one) {
      return i < one->signature.parameters.size() && one->unread.contains(i);
    });
    if (!is_unread) continue;
    const std::string& name = found.front()->signature.parameters[i].name;
    out.push_back({inputs[i], name.empty() ? "it has no name" : "no word of the body is " + name,
                   std::nullopt});
  }
  return out;
}

bool is_named(const std::vector<std::string>& conditions, const std::string& input) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const std::string& condition) {
    const auto names = names_in_condition(condition);
    return std::find(names.begin(), names.end(), input) != names.end();
  });
}

}  // namespace

std::vector<IgnoredParameter> ignored_parameters(const Solution& solution,
                                                 const Definition& definition) {
  const std::string file = entry_source(solution);
  const auto source = std::find_if(solution.sources.begin(), solution.sources.end(),
                                   [&](const SourceFile& one) { return one.path == file; });
  if (source == solution.sources.end() || solution.spec.launch) return {};
  std::vector<std::string> inputs;
  for (const auto& [name, spec] : definition.inputs) inputs.push_back(name);
  const std::string entry = entry_symbol(solution);
  return is_python(solution)
             ? ignored_in_python(source->content, entry, inputs)
             : ignored_in_cpp(source->content, exported_function(source->content, entry), inputs);
}

std::string ignored_condition(const std::string& input, const std::string& value) {
  return fmt::format("{} == {}", input, value);
}

void add_ignored(const Solution& solution, const Definition& definition, Sidecar& sidecar) {
  // Sources mostly lack this word, and are then not parsed.
  const bool may_delete =
      is_python(solution) &&
      std::any_of(solution.sources.begin(), solution.sources.end(), [](const SourceFile& one) {
        return one.content.find("del ") != std::string::npos;
      });
  if (!may_delete) return;
  for (const IgnoredParameter& one : ignored_parameters(solution, definition)) {
    const TensorSpec* const input = definition.inputs.find(one.input);
    if (input->shape || !one.default_value || is_named(sidecar.all.conditions, one.input)) continue;
    sidecar.all.conditions.push_back(ignored_condition(one.input, *one.default_value));
  }
}

}  // namespace kbench
