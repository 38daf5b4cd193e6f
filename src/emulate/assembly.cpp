// asm volatile("text" : "=r"(x) : "l"(p) : "memory") → KBENCH_EMULATED_ASM("text",
// ::kbench_emulation::out("=r", (x)), ::kbench_emulation::in("l", (p)))
#include <fmt/format.h>

#include "base/text.hpp"
#include "base/words.hpp"
#include "emulate/code.hpp"

namespace kbench {
namespace {

struct Operand {
  std::string name;            // name in %[name]; "" if it has none
  std::size_t constraint = 0;  // token of its literal
  std::size_t constraint_end = 0;
  std::size_t open = 0, close = 0;
};

// Part of the statement, [begin, end).
struct Part {
  std::size_t begin = 0, end = 0;
};

bool is_literal(const Code& code, std::size_t i) {
  return i < code.size() && code.tokens[i].kind == CppToken::Kind::literal;
}

// Parts between `:` and `::`: the text, outputs, inputs, clobbers; and these separators.
struct Parts {
  std::vector<Part> parts;
  std::vector<std::size_t> separators;
};

Parts parts_of(const Code& code, std::size_t open, std::size_t close) {
  Parts out{{{open + 1, close}}, {}};
  for (std::size_t i = open + 1; i < close; ++i) {
    if (code.is(i, "(") || code.is(i, "[")) i = closing(code, i);
    const bool is_double = code.is(i, "::");
    if (!is_double && !code.is(i, ":")) continue;
    out.separators.push_back(i);
    out.parts.back().end = i;
    if (is_double) out.parts.push_back({i, i});
    out.parts.push_back({i + 1, close});
  }
  return out;
}

// Reads the operand that begins at `i`; false where it is none.
bool read_operand(const Code& code, std::size_t i, Operand& out) {
  if (code.is(i, "[") && code.is_word(i + 1) && code.is(i + 2, "]")) {
    out.name = code.tokens[i + 1].text;
    i += 3;
  }
  out.constraint = i;
  while (is_literal(code, i) || (code.is_macro && code.is_word(i))) ++i;
  out.constraint_end = out.open = i;
  if (i == out.constraint || !code.is(i, "(")) return false;
  out.close = closing(code, i);
  return out.close < code.size();
}

class Statement {
 public:
  Statement(const Code& code, std::size_t word, std::size_t open)
      : code_(code), word_(word), open_(open), close_(closing(code, open)) {}

  // Returns false where it is not understood.
  bool translate() {
    if (close_ == code_.size()) return false;
    const auto [parts, separators] = parts_of(code_, open_, close_);
    if (parts.size() > 4 || parts.front().begin == parts.front().end) return false;
    code_.edits.push_back({code_.tokens[word_].begin, code_.tokens[open_].end,
                           "KBENCH_EMULATED_ASM(" + code_.line_breaks(word_, open_ + 1)});
    for (std::size_t i = 1; i < parts.size() && i < 3; ++i)
      if (!translate_operands(parts[i], i == 1)) return false;
    for (const std::size_t one : separators) code_.replace(one, "");
    if (parts.size() == 4) drop(parts[3]);
    read_text(parts.front());
    return true;
  }

  std::size_t end() const { return std::min(close_, code_.size() - 1); }

 private:
  bool translate_operands(const Part& part, bool is_output) {
    for (std::size_t i = part.begin; i < part.end;) {
      Operand operand;
      if (!read_operand(code_, i, operand) || operand.close >= part.end) return false;
      translate_operand(i, operand, is_output);
      i = operand.close + 1;
      if (i == part.end) break;
      if (!code_.is(i, ",")) return false;
      code_.replace(i++, "");
    }
    return true;
  }

  void translate_operand(std::size_t begin, const Operand& operand, bool is_output) {
    const std::string constraint = code_.text(operand.constraint, operand.constraint_end);
    const bool is_changed = constraint.find('+') != constraint.npos;
    const char* const kind = !is_output ? "in" : is_changed ? "inout" : "out";
    code_.edits.push_back({code_.tokens[begin].begin, code_.tokens[operand.constraint].begin,
                           fmt::format(", ::kbench_emulation::{}(", kind) +
                               code_.line_breaks(begin, operand.constraint + 1)});
    code_.insert(code_.tokens[operand.open].begin, ", ");
    code_.insert(code_.tokens[operand.close].end, ")");
    names_.push_back(operand.name);
  }

  void drop(const Part& part) {
    for (std::size_t i = part.begin; i < part.end; ++i) code_.replace(i, "");
  }

  // Replaces the names of operands by their numbers.
  void read_text(const Part& text) {
    for (std::size_t i = text.begin; i < text.end; ++i) {
      if (!is_literal(code_, i)) continue;
      const std::string literal = code_.text(i, i + 1), numbered = with_numbers(literal);
      if (numbered != literal) code_.replace(i, numbered);
    }
  }

  // Turns "%[name]" into "%0".
  std::string with_numbers(std::string text) const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      text = replace_all(std::move(text), "%[" + names_[k] + "]", fmt::format("%{}", k));
    return text;
  }

  const Code& code_;
  std::size_t word_, open_, close_;
  std::vector<std::string> names_;
};

}  // namespace

void translate_assembly(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i) || !is_one_of(code.tokens[i].text, {"asm", "__asm__", "__asm"})) continue;
    const std::size_t word = i++;
    while (code.is_word(i) && is_one_of(code.tokens[i].text, {"volatile", "__volatile__"})) ++i;
    if (!code.is(i, "(")) {
      code.refuse(word, "this form of asm");
      continue;
    }
    Statement statement(code, word, i);
    if (!statement.translate()) code.refuse(word, "this form of asm");
    i = statement.end();
  }
}

}  // namespace kbench
