#include "emulate/ptx/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "emulate/ptx/forms.hpp"

namespace kbench {
namespace {

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) { return begins_name(c) || is_digit(c); }

// Names, numbers, placeholders (%0, %laneid), and single characters otherwise. Names have the dots
// and double colons of modifiers.
class PtxReader {
 public:
  explicit PtxReader(std::string_view text) : text_(text) {}

  std::string_view peek() {
    const std::size_t before = at_;
    const std::string_view token = next();
    at_ = before;
    return token;
  }
  bool take(std::string_view token) {
    if (peek() != token) return false;
    next();
    return true;
  }
  std::string_view next() {
    skip();
    if (at_ == text_.size()) return {};
    const std::size_t begin = at_++;
    const char c = text_[begin];
    if (begins_name(c) || is_digit(c) || c == '.' || c == '%') {
      if (c == '%' && at_ < text_.size() && text_[at_] == '%') ++at_;
      while (at_ < text_.size() && goes_on(c)) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  bool goes_on(char first) const {
    const char c = text_[at_];
    if (is_in_name(c) || c == '.') return true;
    const bool is_double_colon =
        c == ':' && at_ + 1 < text_.size() && (text_[at_ + 1] == ':' || text_[at_ - 1] == ':');
    if (is_double_colon) return true;
    const char before = text_[at_ - 1];
    return is_digit(first) && (c == '+' || c == '-') && (before == 'e' || before == 'E');
  }
  void skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (std::strchr(" \t\n\r\v\f", rest[0]) != nullptr && rest[0] != '\0')
        ++at_;
      else if (rest.substr(0, 2) == "//")
        at_ += std::min(rest.find('\n'), rest.size());
      else if (rest.substr(0, 2) == "/*")
        at_ += std::min(rest.find("*/"), rest.size() - 2) + 2;
      else
        return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <typename T>
bool read_digits(std::string_view text, T& value, int base) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc() && last == end;
}

// Returns a float, given by its bits, as a double.
std::uint64_t bits_of_double(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  const double wide = value;
  std::uint64_t out;
  std::memcpy(&out, &wide, sizeof out);
  return out;
}

bool has_prefix(std::string_view text, char letter) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

// Reads 1.5, 2e-3: as a double.
bool read_decimal(std::string_view text, PtxOperand& out) {
  double value = 0;
  const char* const end = text.data() + text.size();
  out.is_float = true;
  if (std::from_chars(text.data(), end, value).ptr != end) return false;
  std::memcpy(&out.value, &value, sizeof value);
  return true;
}

// Reads 0f3f800000, 0d3ff0000000000000: the bits of a float, or of a double.
bool read_bits(std::string_view digits, bool is_double, PtxOperand& out) {
  out.is_float = true;
  if (digits.size() != (is_double ? 16u : 8u) || !read_digits(digits, out.value, 16)) return false;
  if (!is_double) out.value = bits_of_double(static_cast<std::uint32_t>(out.value));
  return true;
}

// Reads these, and 0x10, 017, 0b1, 5U.
bool read_number(std::string_view text, PtxOperand& out) {
  out.kind = PtxOperand::Kind::immediate;
  if (has_prefix(text, 'f') || has_prefix(text, 'd'))
    return read_bits(text.substr(2), has_prefix(text, 'd'), out);
  if (has_prefix(text, 'x')) return read_digits(text.substr(2), out.value, 16);
  if (has_prefix(text, 'b')) return read_digits(text.substr(2), out.value, 2);
  if (text.find_first_of(".e") != text.npos) return read_decimal(text, out);
  if (!text.empty() && (text.back() | 0x20) == 'u') text.remove_suffix(1);
  return read_digits(text, out.value, text.size() > 1 && text[0] == '0' ? 8 : 10);
}

class PtxParser {
 public:
  explicit PtxParser(std::string_view text) : reader_(text) {}

  PtxProgram parse() {
    scopes_.emplace_back();
    while (program_.problem.empty() && !reader_.peek().empty()) statement();
    if (program_.problem.empty() && scopes_.size() != 1) fail("a { that is not closed");
    if (program_.problem.empty()) resolve_labels();
    return std::move(program_);
  }

 private:
  using Scope = std::map<std::string, std::size_t, std::less<>>;

  void fail(std::string text) {
    if (program_.problem.empty()) program_.problem = std::move(text);
  }

  void statement() {
    if (reader_.take(";")) return;
    if (reader_.take("{")) return void(scopes_.emplace_back());
    if (reader_.take("}")) {
      if (scopes_.size() == 1) return fail("a } without its {");
      return scopes_.pop_back();
    }
    if (reader_.take(".reg")) return declaration();
    const std::string_view first = reader_.peek();
    if (begins_name(first[0]) && first.back() == ':') return label(reader_.next());
    if (begins_name(first[0])) {
      const PtxReader before = reader_;
      const std::string_view name = reader_.next();
      if (reader_.take(":")) return label(name);
      reader_ = before;
    }
    instruction();
  }

  void label(std::string_view name) {
    while (!name.empty() && name.back() == ':') name.remove_suffix(1);
    labels_[std::string(name)] = program_.instructions.size();
  }

  // Reads .reg .b32 a, b<4>;
  void declaration() {
    const std::string_view type = reader_.next();
    if (type.empty() || type[0] != '.') return fail(".reg without a type");
    do declare(std::string(reader_.next()));
    while (program_.problem.empty() && reader_.take(","));
    if (program_.problem.empty() && !reader_.take(";")) fail("a declaration without its ;");
  }

  void declare(const std::string& name) {
    if (name.empty() || !(begins_name(name[0]) || name[0] == '%'))
      return fail("a register without a name");
    std::size_t count = 0;
    if (!reader_.take("<")) {
      scopes_.back()[name] = program_.registers++;
    } else if (!read_digits(reader_.next(), count, 10) || count > 1024 || !reader_.take(">")) {
      return fail("the number of registers " + name);
    }
    for (std::size_t i = 0; i < count; ++i)
      scopes_.back()[name + std::to_string(i)] = program_.registers++;
    if (program_.registers > most_registers) fail("more than 4096 registers");
  }

  bool is_at_end() {
    const std::string_view token = reader_.peek();
    return token.empty() || token == ";" || token == "}";
  }

  void instruction() {
    PtxInstruction out;
    if (reader_.take("@")) {
      out.is_guarded = true;
      out.guard = operand();
    }
    out.opcode = reader_.next();
    if (out.opcode.empty() || !begins_name(out.opcode[0]))
      return fail("\"" + out.opcode + "\", where an instruction is expected");
    if (!match_ptx(out.opcode, out.form, out.words)) return fail(out.opcode);
    if (!is_at_end()) {
      do out.operands.push_back(alternatives());
      while (program_.problem.empty() && reader_.take(","));
    }
    if (!is_at_end())
      return fail("\"" + std::string(reader_.peek()) + "\" in an instruction " + out.opcode);
    reader_.take(";");
    program_.instructions.push_back(std::move(out));
  }

  // Reads p|q.
  PtxOperand alternatives() {
    PtxOperand first = operand();
    if (!reader_.take("|")) return first;
    PtxOperand out;
    out.kind = PtxOperand::Kind::pair;
    out.elements.push_back(std::move(first));
    out.elements.push_back(operand());
    return out;
  }

  PtxOperand operand() {
    PtxOperand out;
    if (++depth_ > most_depth) fail("operands within operands");
    if (program_.problem.empty()) simple_or_not(out);
    --depth_;
    return out;
  }

  void simple_or_not(PtxOperand& out) {
    if (reader_.take("!")) {
      out = operand();
      out.is_negated = !out.is_negated;
    } else if (reader_.take("{")) {
      out.kind = PtxOperand::Kind::vector;
      do out.elements.push_back(operand());
      while (program_.problem.empty() && reader_.take(","));
      if (!reader_.take("}")) fail("a vector without its }");
    } else if (reader_.take("[")) {
      address(out);
    } else if (reader_.take("-")) {
      out = operand();
      if (out.kind != PtxOperand::Kind::immediate) fail("a - before what is no number");
      if (out.is_float)
        out.value ^= std::uint64_t{1} << 63;
      else
        out.value = -out.value;
    } else {
      simple(reader_.next(), out);
    }
  }

  void address(PtxOperand& out) {
    out.kind = PtxOperand::Kind::address;
    out.elements.push_back(operand());
    const bool is_less = reader_.peek() == "-";
    if (is_less || reader_.take("+")) {
      const PtxOperand offset = operand();
      if (offset.kind == PtxOperand::Kind::immediate)
        out.value = offset.value;
      else
        out.elements.push_back(offset);
    }
    if (!reader_.take("]")) fail("\"" + std::string(reader_.peek()) + "\" in an address");
  }

  void simple(std::string_view token, PtxOperand& out) {
    const char first = token.empty() ? '\0' : token[0];
    out.name = token;
    if (token == "_") return;
    if (is_digit(first)) {
      if (!read_number(token, out)) fail("the number " + out.name);
    } else if (find_register(token, out)) {
      out.kind = PtxOperand::Kind::own;
    } else if (first == '%') {
      special(token, out);
    } else if (begins_name(first)) {
      out.kind = PtxOperand::Kind::label;
    } else {
      fail("\"" + out.name + "\", where an operand is expected");
    }
  }

  // Reads %0, %laneid.
  void special(std::string_view token, PtxOperand& out) {
    token.remove_prefix(std::min(token.find_first_not_of('%'), token.size()));
    out.kind = PtxOperand::Kind::special;
    if (!token.empty() && is_digit(token[0])) {
      out.kind = PtxOperand::Kind::argument;
      if (!read_digits(token, out.index, 10)) fail("the operand " + out.name);
    }
    out.name = token;
  }

  bool find_register(std::string_view name, PtxOperand& out) const {
    if (name.substr(0, 2) == "%%") name.remove_prefix(1);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) {
        out.index = found->second;
        return true;
      }
    return false;
  }

  void resolve_labels() {
    for (PtxInstruction& one : program_.instructions)
      for (PtxOperand& operand : one.operands) {
        if (operand.kind != PtxOperand::Kind::label) continue;
        const auto found = labels_.find(operand.name);
        if (found == labels_.end()) return fail("the name " + operand.name);
        operand.index = found->second;
      }
  }

  static constexpr int most_depth = 8;
  static constexpr std::size_t most_registers = 4096;

  PtxReader reader_;
  PtxProgram program_;
  int depth_ = 0;
  std::vector<Scope> scopes_;
  std::map<std::string, std::size_t, std::less<>> labels_;
};

}  // namespace

PtxProgram parse_ptx(std::string_view text) { return PtxParser(text).parse(); }

}  // namespace kbench
