#include "import/undefined_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Token;

// Keywords that a parenthesis may follow, and builtins: language reference 2.3.1, library reference
// "Built-in Functions" and "Built-in Exceptions".
constexpr std::string_view pythons_own =
    "and assert await case del elif else except for from if in is lambda match not or "
    "raise return while with yield __import__ abs all any ascii bin bool bytearray bytes "
    "callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec "
    "filter float format frozenset getattr globals hasattr hash hex id input int "
    "isinstance issubclass iter len list locals map max memoryview min next object oct "
    "open ord pow print property range repr reversed round set setattr slice sorted "
    "staticmethod str sum super tuple type vars zip ArithmeticError AssertionError "
    "AttributeError BaseException Exception ImportError IndexError KeyError LookupError "
    "MemoryError ModuleNotFoundError NameError NotImplementedError OSError OverflowError "
    "RuntimeError StopIteration SystemError TypeError ValueError ZeroDivisionError";

// The words of a text, one by one with their neighbours.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {
    auto tokenized = python::tokenize(text);
    if (auto* tokens = std::get_if<std::vector<Token>>(&tokenized)) tokens_ = std::move(*tokens);
  }

  std::size_t size() const { return tokens_.size(); }
  std::size_t offset(std::size_t i) const { return tokens_[i].begin; }
  bool is_name(std::size_t i) const { return tokens_[i].kind == python::TokenKind::name; }
  // "" before the first and behind the last.
  std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return "";
    return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  bool is_attribute(std::size_t i) const { return word(i - 1) == "."; }
  // Called or looked into, and not made known by it.
  bool is_use(std::size_t i) const {
    constexpr std::string_view binding[] = {"def", "class", "import", "from", "as"};
    const bool binds =
        std::find(std::begin(binding), std::end(binding), word(i - 1)) != std::end(binding);
    return !binds && (word(i + 1) == "(" || word(i + 1) == ".");
  }

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<UndefinedName> undefined_names(std::string_view text) {
  const Words words(text);
  std::map<std::string_view, std::size_t> used;
  std::set<std::string_view> defined;
  for (const std::string_view name : split(pythons_own, ' ')) defined.insert(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words.is_name(i) || words.is_attribute(i)) continue;
    if (words.is_use(i)) {
      used.try_emplace(words.word(i), words.offset(i));
    } else {
      defined.insert(words.word(i));
    }
  }
  std::vector<UndefinedName> found;
  for (const auto& [name, offset] : used) {
    if (!defined.contains(name)) found.push_back({std::string(name), offset});
  }
  std::sort(found.begin(), found.end(),
            [](const UndefinedName& a, const UndefinedName& b) { return a.offset < b.offset; });
  return found;
}

}  // namespace kbench
