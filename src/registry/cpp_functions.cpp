#include "registry/cpp_functions.hpp"

#include <algorithm>
#include <map>
#include <regex>

#include "base/text.hpp"

namespace kbench {
namespace {

// Comments and the contents of strings and characters become blanks.
std::string without_comments(std::string_view source) {
  static const std::regex comment(R"(//[^\n]*|/\*[^]*?\*/|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])')");
  return std::regex_replace(std::string(source), comment, " ");
}

// How many #if deep what is left out is after a directive.
int left_out_after(std::string_view directive, int depth) {
  if (depth == 0) return directive == "if 0" || directive == "if false" ? 1 : 0;
  if (directive.starts_with("if")) return depth + 1;
  const bool turns = depth == 1 && directive.starts_with("el");
  return turns || directive.starts_with("endif") ? depth - 1 : depth;
}

// Blank are lines of the preprocessor, and what stands between `#if 0` and its end.
std::string without_directives(const std::string& source) {
  std::string out;
  int left_out = 0;
  bool goes_on = false;
  for (const std::string_view line : split(source, '\n')) {
    const std::string_view word = trim(line);
    if (word.starts_with('#')) left_out = left_out_after(trim(word.substr(1)), left_out);
    const bool is_directive = goes_on || word.starts_with('#');
    goes_on = is_directive && word.ends_with('\\');
    if (!is_directive && left_out == 0) out += line;
    out += '\n';
  }
  return out;
}

// At commas outside of brackets of all kinds.
std::vector<std::string> split_parameters(std::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    depth += (c == '(' || c == '<' || c == '{') - (c == ')' || c == '>' || c == '}');
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    const std::string_view part = trim(list.substr(begin, i - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = i + 1;
  }
  return parts;
}

// "const Tensor& self": its last word is the name, unless it is the type's only one.
SignatureParameter parameter_of(const std::string& text) {
  static const std::regex form(R"(^([^=]*[\s&*>])(\w+)\s*(?:=\s*([^]*))?$)");
  std::smatch match;
  const bool is_named = std::regex_match(text, match, form) && match[2] != "const";
  if (!is_named) return {"", plain_cpp_type(text), "", false};
  return {match[2], plain_cpp_type(match[1].str()), match[3], false};
}

class Reader {
 public:
  Reader(std::string_view source, std::string_view name)
      : text_(without_directives(without_comments(source))),
        head_(R"(([\w:]*\b))" + std::string(name) + R"(\s*\()") {
    static const std::regex alias(R"(\busing\s+(\w+)\s*=\s*([^;]+);)");
    for (std::sregex_iterator one(text_.begin(), text_.end(), alias), end; one != end; ++one)
      aliases_[(*one)[1]] = plain_cpp_type((*one)[2].str());
  }

  std::vector<CppFunction> read() {
    std::size_t begin = 0;  // of the statement
    int depth = 0;          // of parentheses
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      depth += (c == '(') - (c == ')');
      if (depth > 0 || (c != '{' && c != '}' && c != ';')) continue;
      if (c == '{') open(trim(std::string_view(text_).substr(begin, i - begin)));
      if (c == '}' && !scopes_.empty()) scopes_.pop_back();
      begin = i + 1;
    }
    return std::move(found_);
  }

 private:
  struct Scope {
    std::string name;
    bool is_namespace = false;
    bool is_local = false;
  };

  void open(std::string_view statement) {
    static const std::regex space(R"(^(?:inline\s+)?namespace\b\s*([\w:]*)[^(]*$)");
    const std::string text(statement);
    std::smatch match;
    if (std::regex_match(text, match, space)) {
      scopes_.push_back({match[1], true, match[1].length() == 0});
    } else if (trim(text) == "extern") {  // "C"
      scopes_.push_back({"", true, false});
    } else {
      if (std::all_of(scopes_.begin(), scopes_.end(),
                      [](const Scope& s) { return s.is_namespace; }))
        add_function(text);
      scopes_.push_back({});
    }
  }

  void add_function(const std::string& text) {
    std::smatch match;
    if (!std::regex_search(text, match, head_) || match.position() == 0) return;
    const auto begin = static_cast<std::size_t>(match.position() + match.length());
    const std::size_t end = text.rfind(')');
    if (end == text.npos || end < begin) return;
    CppFunction function;
    function.is_local = std::regex_search(text, std::regex(R"(^[^(]*\bstatic\b)"));
    for (const Scope& scope : scopes_) {
      function.is_local |= scope.is_local;
      append(function.scope, scope.name);
    }
    std::string within = match[1];
    while (within.ends_with(':')) within.pop_back();
    append(function.scope, within);
    for (const std::string& one :
         split_parameters(std::string_view(text).substr(begin, end - begin))) {
      function.signature.parameters.push_back(parameter_of(one));
      std::string& type = function.signature.parameters.back().type;
      if (const auto alias = aliases_.find(type); alias != aliases_.end()) type = alias->second;
    }
    found_.push_back(std::move(function));
  }

  static void append(std::string& scope, const std::string& name) {
    if (!scope.empty() && !name.empty()) scope += "::";
    scope += name;
  }

  std::string text_;
  std::regex head_;
  std::map<std::string, std::string> aliases_;
  std::vector<Scope> scopes_;
  std::vector<CppFunction> found_;
};

}  // namespace

std::string plain_cpp_type(std::string_view text) {
  static const std::regex noise(R"((\bconst\b|&|\s|(::)?(\w+::)+|\w+\.))");
  std::string plain = std::regex_replace(std::string(text), noise, "");
  return plain == "ArrayRef<Tensor>" ? "TensorList" : plain;
}

std::vector<CppFunction> find_cpp_functions(std::string_view source, std::string_view name) {
  return Reader(source, name).read();
}

bool may_be_made_by_macro(std::string_view source, std::string_view name) {
  const std::string text = without_comments(source);
  const std::regex argument(R"((^|\n)\s*[A-Z]\w*\s*\((\w+\s*,\s*)*)" + std::string(name) +
                            R"(\s*[,)])");
  return text.find("##") != text.npos || std::regex_search(text, argument);
}

}  // namespace kbench
