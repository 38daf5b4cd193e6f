#include "registry/condition_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "registry/platform.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

// A kind of words, by the name that stands for one of them in a call.
constexpr std::string_view kinds_of_words[] = {"dtype", "platform", "backend"};
constexpr std::string_view condition_devices[] = {"cpu", "gpu", "tpu", "mps"};

struct Word {
  std::string_view kind;
  std::string text;
};

const std::vector<Word>& all_words() {
  static const std::vector<Word> words = [] {
    std::vector<Word> all;
    for (const DTypeInfo& row : dtypes()) all.push_back({"dtype", std::string(row.name)});
    for (const Platform& row : platforms()) all.push_back({"platform", std::string(row.name)});
    for (const std::string_view device : condition_devices)
      all.push_back({"backend", std::string(device)});
    return all;
  }();
  return words;
}

// "dtype" of "x.dtype" and "dtype"; "" of a name that stands for no word.
std::string_view kind_of_subject(std::string_view name) {
  if (name.ends_with(".dtype")) return kinds_of_words[0];
  const auto found = std::find(std::begin(kinds_of_words), std::end(kinds_of_words), name);
  return found == std::end(kinds_of_words) ? std::string_view() : *found;
}

std::string text_of(const Expression& e) {
  if (e.kind == Node::attribute && e.operands[0]->kind == Node::name)
    return e.operands[0]->text + "." + e.text;
  return e.kind == Node::name ? e.text : "";
}

// Returns the kind of what stands for a word, or is one; "" for all else.
std::string_view kind_of_part(const Expression& e) {
  const std::string text = text_of(e);
  if (text.empty()) return "";
  if (const std::string_view kind = kind_of_subject(text); !kind.empty()) return kind;
  const auto value = word_value(text);
  return value ? all_words()[static_cast<std::size_t>(*value - 1)].kind : "";
}

WordMisuse wrong_word(const Expression& part, std::string_view kind) {
  std::vector<std::string> known;
  for (const Word& word : all_words()) {
    if (word.kind == kind) known.push_back(word.text);
  }
  const std::string text = text_of(part);
  const std::string_view usual = kind == "dtype" ? usual_dtype_name(text) : "";
  std::string hint =
      usual.empty() ? did_you_mean(text, known) : fmt::format("it is called {} here", usual);
  if (hint.empty()) hint = "they are " + join(known, ", ");
  return {&part, fmt::format("\"{}\" is no {}", text.empty() ? "this" : text, kind),
          std::move(hint)};
}

WordMisuse stray_word(const Expression& part) {
  const std::string_view kind = kind_of_part(part);
  return {&part, fmt::format("{} is a {}, and no number", text_of(part), kind),
          fmt::format("it is compared by == or != alone, as in {} == {}", kind,
                      kind == "dtype"      ? "bfloat16"
                      : kind == "platform" ? "cpp"
                                           : "cpu")};
}

// Two neighbours of a comparison, at least one of which is a word or stands for one.
std::optional<WordMisuse> misuse_in_pair(const Expression& a, const std::string& comparator,
                                         const Expression& b) {
  const Expression& known = kind_of_part(a).empty() ? b : a;
  const Expression& other = &known == &a ? b : a;
  const std::string_view kind = kind_of_part(known);
  if (comparator != "==" && comparator != "!=") return stray_word(known);
  if (kind_of_part(other) != kind)
    return is_of_words(text_of(known)) ? wrong_word(other, kind) : stray_word(known);
  return std::nullopt;
}

std::optional<WordMisuse> misuse_in_comparison(const Expression& e) {
  for (std::size_t i = 0; i < e.comparators.size(); ++i) {
    const Expression& a = *e.operands[i];
    const Expression& b = *e.operands[i + 1];
    if (kind_of_part(a).empty() && kind_of_part(b).empty()) continue;
    if (auto misuse = misuse_in_pair(a, e.comparators[i], b)) return misuse;
  }
  for (const python::ExpressionPtr& one : e.operands) {
    if (!kind_of_part(*one).empty()) continue;
    if (auto misuse = find_word_misuse(*one)) return misuse;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> word_value(std::string_view word) {
  const auto& words = all_words();
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& one) { return one.text == word; });
  return found == words.end() ? std::nullopt : std::optional(found - words.begin() + 1);
}

std::optional<std::string> word_of(std::string_view name, std::int64_t value) {
  const auto& words = all_words();
  const bool is_word =
      is_of_words(name) && value > 0 && value <= static_cast<std::int64_t>(words.size());
  return is_word ? std::optional(words[static_cast<std::size_t>(value - 1)].text) : std::nullopt;
}

bool is_of_words(std::string_view name) { return !kind_of_subject(name).empty(); }

std::optional<WordMisuse> find_word_misuse(const Expression& e) {
  if (e.kind == Node::comparison) return misuse_in_comparison(e);
  if (!kind_of_part(e).empty()) return stray_word(e);
  for (const python::ExpressionPtr& one : e.operands) {
    if (auto misuse = find_word_misuse(*one)) return misuse;
  }
  return std::nullopt;
}

}  // namespace kbench
