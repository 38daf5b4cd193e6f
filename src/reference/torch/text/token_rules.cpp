#include "reference/torch/text/token_rules.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "reference/torch/text/format_string.hpp"
#include "reference/torch/text/list_rules.hpp"
#include "reference/torch/text/operator_rules.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {
namespace {

using python::TokenKind;

// Where a text is only to be read by people: behind raise, print or an assertion.
bool is_message(const Draft& draft, std::size_t i) {
  for (std::size_t k = i;; --k) {
    const std::string_view w = draft.word(k);
    if (w == "raise" || w == "assert" || w == "print") return true;
    if (k == 0 || draft.starts_line(k)) return false;
  }
}

// What LibTorch's format() would pass over: f"{x:.2f}", "{:.2f}".format(x).
void refuse_format(const Draft& draft, std::size_t i, std::size_t end) {
  if (is_message(draft, i)) return;
  const bool is_call = draft.word(end) == "." && draft.word(end + 1) == "format";
  for (std::size_t k = i; k < end; ++k) {
    const std::string_view w = draft.word(k);
    const bool is_raw = w.substr(0, 2).find_first_of("rR") < w.find_first_of("'\"");
    if (is_raw && is_format_string(w) && w.find('\\') != std::string_view::npos)
      throw UnsupportedText{"a raw f-string with a backslash", draft.line_of(k)};
    const bool is_format = is_format_string(draft.word(k));
    if (is_format ? !has_specification(draft.word(k)) : !is_call || is_plain_format(draft.word(k)))
      continue;
    throw UnsupportedText{"a format or conversion in a text that is no message", draft.line_of(k)};
  }
}

// Neighbouring string literals are one; as soon as one of them is an f-string they are added up.
void strings(Draft& draft, std::size_t i) {
  if (draft.kind(i) != TokenKind::string) return;
  const auto is_string = [&](std::size_t k) {
    return k < draft.size() && draft.kind(k) == TokenKind::string;
  };
  if (i > 0 && is_string(i - 1)) return;
  std::size_t end = i;
  bool formatted = false;
  for (; is_string(end); ++end) formatted |= is_format_string(draft.word(end));
  refuse_format(draft, i, end);
  if (!formatted) return;
  for (std::size_t k = i; k < end; ++k) {
    const bool is_format = is_format_string(draft.word(k));
    draft.replace(k, is_format ? format_call(draft.word(k)) : std::string(draft.word(k)));
    if (k > i) draft.insert_before(k, "+ ");
  }
  if (end - i > 1) {
    draft.insert_before(i, "(");
    draft.insert_after(end - 1, ")");
  }
}

// A device that is not here: kbench's reference runs on the CPU. To ask for the device's name is to
// be told the truth.
void device(Draft& draft, std::size_t i) {
  if (draft.kind(i) != TokenKind::string) return;
  const std::string_view w = draft.word(i);
  const std::string_view text = w.size() > 2 ? w.substr(1, w.size() - 2) : "";
  if (text != "cuda" && text.substr(0, 5) != "cuda:") return;
  if (!is_compared(draft, i)) draft.replace(i, "\"cpu\"");
}

// An integer in decimal; refused where it has more than 64 bits.
std::string integer(const Draft& draft, std::size_t i, std::string_view digits, int base) {
  std::int64_t value = 0;
  if (std::from_chars(digits.begin(), digits.end(), value, base).ec == std::errc()) {
    return std::to_string(value);
  }
  throw UnsupportedText{"the integer " + std::string(draft.word(i)) + ", which has over 64 bits,",
                        draft.line_of(i)};
}

// Returns the base of an integer that is written 0x…, 0o… or 0b…; 10 for any other number.
int base_of(std::string_view number) {
  if (number.size() < 3 || number[0] != '0') return 10;
  switch (std::tolower(static_cast<unsigned char>(number[1]))) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 10;
  }
}

// 1_000 and 0xFF as plain decimal numbers.
void numbers(Draft& draft, std::size_t i) {
  if (draft.kind(i) != TokenKind::number) return;
  std::string text(draft.word(i));
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  const int base = base_of(text);
  if (base != 10) {
    text = integer(draft, i, std::string_view(text).substr(2), base);
  } else if (text.find_first_not_of("0123456789") == std::string::npos) {
    text = integer(draft, i, text, 10);
  }
  if (text != draft.word(i)) draft.replace(i, text);
}

// Functions whose results LibTorch's own make floats: pow(a, b) → __power(a, b).
void builtins(Draft& draft, std::size_t i) {
  if (draft.word(i + 1) != "(" || (i > 0 && draft.word(i - 1) == ".")) return;
  if (draft.word(i) == "pow") draft.replace(i, "__power");
  if (draft.word(i) == "round") draft.replace(i, "__round");
}

bool is_method_call(const Draft& draft, std::size_t i, std::string_view name) {
  return i > 0 && draft.word(i - 1) == "." && draft.word(i) == name && draft.word(i + 1) == "(";
}

// x.bool() → x.to(__torch.bool); x.cuda() → x.cpu()
void casts(Draft& draft, std::size_t i) {
  for (const std::string_view type :
       {"bool", "bfloat16", "half", "double", "short", "byte", "char"}) {
    if (!is_method_call(draft, i, type) || draft.word(i + 2) != ")") continue;
    const bool renamed = type == "byte" || type == "char";
    const std::string_view name = renamed ? (type == "byte" ? "uint8" : "int8") : type;
    draft.replace(i, "to");
    draft.insert_after(i + 1, std::string("__torch.").append(name));
  }
  if (is_method_call(draft, i, "cuda")) draft.replace(i, "cpu");
}

// x.nonzero(as_tuple=True) → x.nonzero_numpy()
void nonzero(Draft& draft, std::size_t i) {
  if (!is_method_call(draft, i, "nonzero") || draft.word(i - 2) == "torch") return;
  if (draft.word(i + 2) != "as_tuple" || draft.word(i + 5) != ")") return;
  if (draft.word(i + 4) == "True") draft.replace(i, "nonzero_numpy");
  draft.replace_all(i + 2, i + 5, "");
}

// with torch.no_grad(): → if True:
void gradients(Draft& draft, std::size_t i) {
  if (draft.word(i) != "with") return;
  std::size_t colon = i + 1;
  while (colon < draft.size() && draft.word(colon) != ":") ++colon;
  const std::string_view name = colon >= 3 ? draft.word(colon - 3) : "";
  const bool is_call = colon >= 3 && draft.word(colon - 2) == "(" && draft.word(colon - 1) == ")";
  if (is_call && (name == "no_grad" || name == "inference_mode")) {
    draft.replace_all(i, colon, "if True");
  }
}

// The last one copies what the others have rewritten.
using Rule = void (*)(Draft&, std::size_t);
constexpr Rule rules[] = {strings,       device,      numbers,         builtins, casts,
                          view_as_dtype, nonzero,     gradients,       not_in,   power,
                          starred,       shape_tuple, comparison_chain};

bool is_literal_line(const Draft& draft, const DraftLine& line) {
  for (std::size_t i = line.first; i < line.last; ++i) {
    if (draft.kind(i) != TokenKind::string) return false;
  }
  return true;
}

// The '=' of NAME: type = value; line.last where there is none.
std::size_t annotated_equals(const Draft& draft, const DraftLine& line) {
  std::size_t i = line.first + 2;
  while (i < line.last && draft.word(i) != "=") i = draft.past(i) + 1;
  return i;
}

// list[Tensor] → List[Tensor]
void spell_types(Draft& draft, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (draft.word(i) == "list") draft.replace(i, "List");
    if (draft.word(i) == "dict") draft.replace(i, "Dict");
    if (draft.word(i) == "tuple") draft.replace(i, "Tuple");
  }
}

// x: Tensor = y → x = y. The type of an empty list or dict is not to be seen from its value; there
// it stays, in the spelling that LibTorch knows.
void local_annotation(Draft& draft, const DraftLine& line) {
  if (!draft.is_name(line.first) || draft.word(line.first + 1) != ":") return;
  const std::size_t equals = annotated_equals(draft, line);
  if (equals == line.last) return draft.replace_all(line.first, line.last, "pass");
  const bool is_empty_bracket = equals + 3 == line.last && is_opening(draft.word(equals + 1));
  if (is_empty_bracket) return spell_types(draft, line.first + 2, equals);
  draft.replace_all(line.first + 1, equals, "");
}

}  // namespace

void apply_token_rules(Draft& draft) {
  for (const DraftLine& line : draft.lines()) {
    if (is_literal_line(draft, line)) {
      draft.replace_all(line.first, line.last, "pass");
      continue;
    }
    for (const Rule rule : rules) {
      for (std::size_t i = line.first; i < line.last; ++i) rule(draft, i);
    }
    local_annotation(draft, line);
    value_of_or(draft, line);
    empty_list(draft, line);
  }
}

}  // namespace kbench
