#include "reference/torch/text/other_meanings.hpp"

#include <algorithm>
#include <string>

#include "base/words.hpp"

namespace kbench {
namespace {

bool is_method(const Draft& draft, std::size_t i, std::string_view name) {
  return i > 0 && draft.word(i) == name && draft.word(i - 1) == "." && draft.word(i + 1) == "(";
}

bool changes_length(const Draft& draft, std::size_t i) {
  constexpr std::string_view methods[] = {"append", "extend", "insert", "pop", "remove", "clear"};
  return draft.word(i + 1) == "." && draft.word(i + 3) == "(" &&
         is_one_of(draft.word(i + 2), methods);
}

// LibTorch says that a shape is a list, and that True is no int.
bool is_class_of_number_or_list(const Draft& draft, const ReferenceText&, std::size_t i) {
  constexpr std::string_view classes[] = {"tuple", "list", "int", "bool", "Size"};
  if (draft.word(i) != "isinstance" || draft.word(i + 1) != "(") return false;
  for (std::size_t k = i + 2; k < draft.closing(i + 1); ++k) {
    if (is_one_of(draft.word(k), classes)) return true;
  }
  return false;
}

bool is_shape_beside_list(const Draft& draft, const ReferenceText&, std::size_t i) {
  const bool is_comparison = draft.word(i) == "==" || draft.word(i) == "!=";
  if (!is_comparison || i == 0 || draft.word(i + 1) != "[") return false;
  return draft.word(i - 1) == "shape" || draft.word(i - 1) == ")";
}

// C's remainder, with the sign of the dividend.
bool is_remainder_in_place(const Draft& draft, const ReferenceText&, std::size_t i) {
  return draft.word(i) == "%=";
}

// C's fmod.
bool is_math_remainder(const Draft& draft, const ReferenceText& text, std::size_t i) {
  if (draft.word(i) != "remainder" || draft.word(i + 1) != "(") return false;
  if (i > 1 && draft.word(i - 1) == ".") return draft.word(i - 2) == "math";
  const auto module = text.modules.find(draft.word(i));
  return module != text.modules.end() && module->second == "math.remainder";
}

// The first item instead of the last.
bool is_popitem(const Draft& draft, const ReferenceText&, std::size_t i) {
  return is_method(draft, i, "popitem");
}

// It never ends.
bool is_count_of_nothing(const Draft& draft, const ReferenceText&, std::size_t i) {
  return is_method(draft, i, "count") && (draft.word(i + 2) == "\"\"" || draft.word(i + 2) == "''");
}

// It counts bytes.
bool is_long_character(const Draft& draft, const ReferenceText&, std::size_t i) {
  const std::string_view w = draft.word(i);
  const bool stands_alone = draft.starts_line(i) && draft.word(i + 1) != ".";
  return draft.kind(i) == python::TokenKind::string && !stands_alone &&
         std::any_of(w.begin(), w.end(), [](char c) { return (c & 0x80) != 0; });
}

// Nothing of it works without gradients, and there are none.
bool is_autograd(const Draft& draft, const ReferenceText&, std::size_t i) {
  constexpr std::string_view words[] = {"requires_grad", "requires_grad_", "backward", "autograd",
                                        "enable_grad"};
  const bool is_off = draft.word(i + 1) == "=" && draft.word(i + 2) == "False";
  return draft.is_name(i) && is_one_of(draft.word(i), words) && !is_off;
}

struct Meaning {
  std::string_view what;
  bool (*stands_at)(const Draft& draft, const ReferenceText& text, std::size_t token);
};

constexpr Meaning meanings[] = {
    {"isinstance() with tuple, list, int or bool", is_class_of_number_or_list},
    {"a shape compared with a list", is_shape_beside_list},
    {"\"%=\"", is_remainder_in_place},
    {"math.remainder()", is_math_remainder},
    {"popitem()", is_popitem},
    {"count() of an empty text", is_count_of_nothing},
    {"a text beyond ASCII", is_long_character},
    {"autograd", is_autograd},
};

// Only said, in a message: whatever it says.
bool is_said(const Draft& draft, const DraftLine& line) {
  constexpr std::string_view saying[] = {"assert", "raise", "print"};
  return is_one_of(draft.word(line.first), saying);
}

// x[a.pop()] += 1 evaluates the index twice, x[a.pop()] = a.pop() in another order.
void refuse_changing_targets(const Draft& draft, const DraftLine& line) {
  std::size_t assignment = line.first;
  while (assignment < line.last) {
    const std::string_view w = draft.word(assignment);
    if (w.size() <= 3 && w.ends_with("=") && w != "==" && w != "!=" && w != "<=" && w != ">=")
      break;
    assignment = draft.past(assignment) + 1;
  }
  if (assignment >= line.last) return;
  for (std::size_t i = line.first; i < assignment; ++i) {
    if (is_method(draft, i, "pop"))
      throw UnsupportedText{"pop() in an assignment's target", draft.line_of(i)};
  }
}

// LibTorch goes to the length that the list has when the loop begins.
void refuse_changed_loops(const Draft& draft, std::size_t index) {
  const std::vector<DraftLine>& lines = draft.lines();
  const DraftLine& loop = lines[index];
  if (draft.word(loop.first) != "for" || loop.last < loop.first + 3) return;
  const std::size_t list = loop.last - 2;  // before the colon
  if (!draft.is_name(list) || draft.word(list - 1) != "in") return;
  for (std::size_t k = index + 1; k < lines.size() && lines[k].level > loop.level; ++k) {
    for (std::size_t i = lines[k].first; i < lines[k].last; ++i) {
      const bool is_it = draft.word(i) == draft.word(list) &&
                         (changes_length(draft, i) || draft.word(i + 1) == "+=");
      if (is_it) throw UnsupportedText{"changing a list while looping over it", draft.line_of(i)};
    }
  }
}

}  // namespace

void refuse_other_meanings(const Draft& draft, const ReferenceText& text) {
  for (std::size_t n = 0; n < draft.lines().size(); ++n) {
    const DraftLine& line = draft.lines()[n];
    refuse_changing_targets(draft, line);
    refuse_changed_loops(draft, n);
    if (is_said(draft, line)) continue;
    for (std::size_t i = line.first; i < line.last; ++i) {
      for (const Meaning& meaning : meanings) {
        if (meaning.stands_at(draft, text, i))
          throw UnsupportedText{std::string(meaning.what), draft.line_of(i)};
      }
    }
  }
}

}  // namespace kbench
