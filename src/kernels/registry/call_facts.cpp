#include "kernels/registry/call_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"
#include "schema/dtype.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

// Kinds of words, by the names that stand for one of them in a call.
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

// Returns "dtype" for "x.dtype" and "dtype"; "" for a name that stands for no word.
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

// Returns the kind of a word, or of a name that stands for one; "" for all else.
std::string_view kind_of_part(const Expression& e) {
  const std::string text = text_of(e);
  if (text.empty()) return "";
  if (const std::string_view kind = kind_of_subject(text); !kind.empty()) return kind;
  const auto value = word_value(text);
  return value ? all_words()[static_cast<std::size_t>(*value - 1)].kind : "";
}

WordMisuse wrong_word(const Expression& part, std::string_view kind) {
  std::vector<std::string> known;
  for (const Word& word : all_words())
    if (word.kind == kind) known.push_back(word.text);
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

// Checks two neighbours of a comparison, at least one of which is a word or stands for one.
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
  for (const python::ExpressionPtr& one : e.operands)
    if (auto misuse = find_word_misuse(*one)) return misuse;
  return std::nullopt;
}

namespace {

void add_dtype(std::string_view tensor, DType dtype, CallFacts& facts) {
  facts[std::string(tensor) + ".dtype"] = *word_value(name_of(dtype));
}

void add_dtypes(const OrderedMap<TensorSpec>& tensors, CallFacts& facts) {
  for (const auto& [name, spec] : tensors) {
    add_dtype(name, spec.dtype, facts);
    if (spec.shape && !facts.contains("dtype")) facts["dtype"] = *word_value(name_of(spec.dtype));
  }
}

void add_scalar(std::string_view name, const InputSpec& source, CallFacts& facts) {
  const auto* const literal = std::get_if<ScalarInput>(&source);
  if (literal == nullptr) return;
  if (const auto* truth = std::get_if<bool>(&literal->value)) facts[name] = *truth ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&literal->value)) facts[name] = *whole;
  const auto* const number = std::get_if<double>(&literal->value);
  const auto value = number == nullptr ? std::nullopt : real_value(*number);
  if (value) facts[name] = *value;
}

}  // namespace

CallFacts dtype_facts(const Definition& definition) {
  CallFacts facts;
  add_dtypes(definition.inputs, facts);
  add_dtypes(definition.outputs, facts);
  return facts;
}

CallFacts scalar_facts(const Workload& workload) {
  CallFacts facts;
  for (const auto& [name, source] : workload.inputs) add_scalar(name, source, facts);
  return facts;
}

CallFacts implementation_facts(std::string_view platform, const Backend& backend) {
  CallFacts facts;
  if (const auto word = word_value(platform)) facts["platform"] = *word;
  facts["backend"] = *word_value(backend.is_any() ? "cpu" : backend.device);
  return facts;
}

bool is_of_call(std::string_view name, const Definition& definition) {
  const TensorSpec* const input = definition.inputs.find(name);
  if (definition.axes.contains(name) || (input != nullptr && !input->shape)) return true;
  return dtype_facts(definition).contains(name) || is_one_of(name, {"platform", "backend"});
}

CallFacts call_facts(const Problem& problem, const CallFacts& constants) {
  CallFacts facts = with_facts(with_facts({}, problem.axes), constants);
  for (const InputPlan& input : problem.inputs) {
    add_dtype(input.tensor.name, input.tensor.dtype, facts);
    if (input.tensor.is_scalar)
      add_scalar(input.tensor.name, input.source, facts);
    else if (!facts.contains("dtype"))
      facts["dtype"] = *word_value(name_of(input.tensor.dtype));
  }
  for (const TensorPlan& output : problem.outputs) add_dtype(output.name, output.dtype, facts);
  return facts;
}

}  // namespace kbench
