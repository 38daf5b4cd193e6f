// Rewrites __shared__ T a[N], b; → for each of them a typedef, a site, and a reference to memory of
// the block. extern __shared__ T s[]; → a pointer to the block's dynamic memory.
#include <fmt/format.h>

#include <optional>

#include "base/words.hpp"
#include "emulate/code.hpp"

namespace kbench {
namespace {

// Statement around a `__shared__`: tokens of [begin, end), and its specifiers.
struct Declaration {
  std::size_t begin = 0, end = 0;
  bool is_extern = false;
  std::string alignment;          // "" if it has none
  std::vector<std::size_t> kept;  // tokens before the first declarator that belong to the type
  std::vector<std::string> type;
};

bool ends_statement(const CppToken& token) {
  return token.kind == CppToken::Kind::directive ||
         (token.kind == CppToken::Kind::symbol && is_one_of(token.text, {";", "{", "}", ":"}));
}

// Returns the begin of the statement with the token `at`. An argument of a macro may be one.
std::size_t begin_of_statement(const Code& code, std::size_t at) {
  std::size_t i = at;
  while (i > 0 && !ends_statement(code.tokens[i - 1])) {
    const bool is_closed = code.is(i - 1, ")") || code.is(i - 1, "]");
    if (code.is(i - 1, "(") || code.is(i - 1, ",")) break;
    const std::size_t open = is_closed ? opening(code, i - 1) : i - 1;
    if (open == code.size()) break;
    i = open;
  }
  return i;
}

std::size_t end_of_statement(const Code& code, std::size_t at) {
  for (std::size_t i = at; i < code.size(); ++i) {
    if (code.is(i, "(") || code.is(i, "[") || code.is(i, "{"))
      i = closing(code, i);
    else if (code.is(i, ";") || code.is(i, ")") || code.is(i, "}"))
      return i;
  }
  return code.size();
}

// Tells whether all braces that are open before `at` are those of namespaces.
bool is_in_namespace(const Code& code, std::size_t at) {
  if (code.is_macro) return false;
  std::vector<bool> open;
  std::size_t begin = 0;  // first token of the statement
  const auto names_space = [&](std::size_t brace) {
    for (std::size_t i = begin; i < brace; ++i) {
      if (code.is_word(i, "namespace")) return true;
      const bool is_extern = code.is_word(i, "extern");
      if (is_extern && i + 2 == brace && code.tokens[i + 1].kind == CppToken::Kind::literal)
        return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < at; ++i) {
    if (code.is(i, "{")) open.push_back(names_space(i));
    if (code.is(i, "}") && !open.empty()) open.pop_back();
    if (ends_statement(code.tokens[i])) begin = i + 1;
  }
  return std::find(open.begin(), open.end(), false) == open.end();
}

// Skips brackets behind a word of the declaration; returns the index of their last token.
std::size_t behind(const Code& code, std::size_t i, const Declaration& declaration) {
  std::size_t end = i;
  if (code.is(i, "<")) end = closing_angle(code, i);
  if (code.is(i, "[") || code.is(i, "{") || code.is(i, "(")) end = closing(code, i);
  return std::min(end, declaration.end);
}

// Returns the alignment in `__align__(16)` or `__attribute__((aligned(16)))` at `i`.
std::string alignment_at(const Code& code, std::size_t i) {
  const std::size_t close = closing(code, i + 1);
  if (code.is_word(i, "__attribute__")) {
    for (std::size_t k = i; k < close; ++k)
      if (is_one_of(code.tokens[k].text, {"aligned", "__aligned__"}) && code.is(k + 1, "("))
        return code.text(k + 2, closing(code, k + 1));
    return "";
  }
  return code.text(i + 2, close);
}

bool says_alignment(const Code& code, std::size_t i) {
  return code.is_word(i) && code.is(i + 1, "(") &&
         is_one_of(code.tokens[i].text, {"__align__", "alignas", "__attribute__"});
}

// Name that is declared: its tokens, of which `name` is [name, name_end).
struct Declarator {
  std::size_t begin = 0, end = 0;  // tokens without the type
  std::size_t name = 0, name_end = 0;
};

// Splits [begin, end) at commas.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Code& code,
                                                          const Declaration& declaration) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t begin = declaration.begin;
  for (std::size_t i = begin; i < declaration.end; ++i) {
    if (code.is(i, ",")) {
      parts.emplace_back(begin, i);
      begin = i + 1;
    } else {
      i = behind(code, i, declaration);
    }
  }
  parts.emplace_back(begin, declaration.end);
  return parts;
}

// Recognises an initial value, or a bracket around a declarator.
bool is_of_other_form(const Code& code, std::size_t i) {
  if (code.is(i, "=")) return true;
  const bool is_specifier =
      i > 0 && code.is_word(i - 1) &&
      is_one_of(code.tokens[i - 1].text, {"__align__", "alignas", "__attribute__", "decltype"});
  return code.is(i, "(") && !is_specifier;
}

// Returns the end of the declarator's name, before its bounds; nothing where it has another form.
std::optional<std::size_t> end_of_name(const Code& code, const Declaration& declaration,
                                       std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  for (; i < end && !code.is(i, "["); i = behind(code, i, declaration) + 1)
    if (is_of_other_form(code, i)) return std::nullopt;
  return i == begin || !code.is_word(i - 1) ? std::nullopt : std::optional(i);
}

// Returns the begin of `*`, with what qualifies it, before the name; the name if there is none.
std::size_t begin_of_pointer(const Code& code, std::size_t begin, std::size_t name) {
  std::size_t first = name;
  const auto is_part = [&](std::size_t k) {
    return code.is(k, "*") || is_one_of(code.tokens[k].text, {"__restrict__", "const", "volatile"});
  };
  while (first > begin && is_part(first - 1)) --first;
  while (first < name && !code.is(first, "*")) ++first;
  return first;
}

// Returns the declarator at the end of [begin, end): its name is the last word before an index,
// with what `##` puts before it. Nothing where it has another form than name[N]… or *name.
std::optional<Declarator> declarator_of(const Code& code, const Declaration& declaration,
                                        std::size_t begin, std::size_t end) {
  const auto name_end = end_of_name(code, declaration, begin, end);
  if (!name_end) return std::nullopt;
  Declarator out{0, end, *name_end - 1, *name_end};
  while (out.name >= begin + 3 && code.is(out.name - 1, "#") && code.is(out.name - 2, "#"))
    out.name -= 3;
  out.begin = begin_of_pointer(code, begin, out.name);
  return out;
}

// Reads the specifiers of [begin, end): the rest of them is the type.
void read_specifiers(const Code& code, std::size_t end, Declaration& declaration) {
  for (std::size_t i = declaration.begin; i < end; ++i) {
    if (says_alignment(code, i)) {
      if (std::string alignment = alignment_at(code, i); !alignment.empty())
        declaration.alignment = std::move(alignment);
      i = closing(code, i + 1);
    } else if (code.is_word(i, "extern")) {
      declaration.is_extern = true;
    } else if (!code.is_word(i) ||
               !is_one_of(code.tokens[i].text, {"__shared__", "static", "inline"})) {
      declaration.type.push_back(code.text(i, i + 1));
    }
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Translation of one name.
class Shared {
 public:
  Shared(const Code& code, const Declaration& declaration, const Declarator& declarator)
      : code_(code),
        declaration_(declaration),
        declarator_(declarator),
        name_(code.text(declarator.name, declarator.name_end)) {}

  std::string static_text() const {
    const std::string alignment = declaration_.alignment.empty()
                                      ? fmt::format("alignof({})", type())
                                      : declaration_.alignment;
    return fmt::format(
        "{}; static char {}; auto& {} = ::kbench_emulation::shared_at<{}>(&{}, {}, {})",
        type_text(declarator_.name_end), other("_kbench_site"), name_, type(),
        other("_kbench_site"), alignment, said());
  }

  // Returns the text for `T s[]`, the first bound of which says nothing.
  std::string dynamic_text() const {
    const bool is_array = code_.is(declarator_.name_end, "[");
    const std::string type_of_one =
        type_text(is_array ? closing(code_, declarator_.name_end) + 1 : declarator_.name_end);
    const char* const form = is_array
                                 ? "{0}; {1}* {2} = ::kbench_emulation::dynamic_shared<{1}>({3})"
                                 : "{0}; auto& {2} = *::kbench_emulation::dynamic_shared<{1}>({3})";
    return fmt::format(fmt::runtime(form), type_of_one, type(), name_, said());
  }

  std::string dynamic_text_of_namespace() const {
    return fmt::format("static const ::kbench_emulation::DynamicShared<{}> {}{{{}}}",
                       joined(declaration_.type), name_, said());
  }

 private:
  // Returns typedef T x_kbench_type[N], with the bounds that begin at the token `bounds`.
  std::string type_text(std::size_t bounds) const {
    return fmt::format("typedef {} {}{}{}", joined(declaration_.type),
                       code_.text(declarator_.begin, declarator_.name), type(),
                       code_.text(bounds, declarator_.end));
  }
  std::string type() const { return other("_kbench_type"); }

  // Tells whether the name is a macro's parameter, or is put together.
  bool is_made() const {
    return declarator_.name_end - declarator_.name > 1 || code_.parameters.contains(name_);
  }
  std::string other(const std::string& ending) const {
    return name_ + (is_made() ? "##" : "") + ending;
  }
  std::string said() const {
    if (code_.parameters.contains(name_)) return "#" + name_;
    return is_made() ? "\"shared memory\"" : "\"" + name_ + "\"";
  }

  const Code& code_;
  const Declaration& declaration_;
  const Declarator& declarator_;
  std::string name_;
};

std::string text_of(const Code& code, const Declaration& declaration, const Declarator& one,
                    bool is_outside) {
  const Shared shared(code, declaration, one);
  if (!declaration.is_extern) return shared.static_text();
  return is_outside ? shared.dynamic_text_of_namespace() : shared.dynamic_text();
}

// Turns `reinterpret_cast<float*>(s)` into static_cast: an object stands for the array.
void translate_casts(const Code& code, std::string_view name) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i, "reinterpret_cast") || !code.is(i + 1, "<")) continue;
    const std::size_t open = closing_angle(code, i + 1) + 1;
    if (code.is(open, "(") && code.is_word(open + 1, name) && code.is(open + 2, ")"))
      code.edits.push_back({code.tokens[i].begin, code.tokens[i].end, "static_cast"});
  }
}

// Returns the token after the declaration.
std::size_t translate_declaration(const Code& code, std::size_t at) {
  Declaration declaration;
  declaration.begin = begin_of_statement(code, at);
  declaration.end = end_of_statement(code, at);
  const auto parts = parts_of(code, declaration);
  std::string text;
  const bool is_outside = is_in_namespace(code, at);
  for (const auto& [begin, end] : parts) {
    const auto one = declarator_of(code, declaration, begin, end);
    if (!one) {
      code.refuse(at, "this form of __shared__");
      return declaration.end;
    }
    if (begin == declaration.begin) read_specifiers(code, one->begin, declaration);
    text += (text.empty() ? "" : "; ") + text_of(code, declaration, *one, is_outside);
    if (is_outside) translate_casts(code, code.text(one->name, one->name_end));
  }
  if (declaration.type.empty() || (is_outside && !declaration.is_extern)) {
    code.refuse(at, declaration.type.empty() ? "__shared__ without a type"
                                             : "__shared__ outside of functions");
    return declaration.end;
  }
  code.edits.push_back({code.tokens[declaration.begin].begin, code.tokens[declaration.end - 1].end,
                        text + code.line_breaks(declaration.begin, declaration.end)});
  return declaration.end;
}

}  // namespace

void translate_shared(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.is_word(i, "__shared__")) i = translate_declaration(code, i);
}

}  // namespace kbench
