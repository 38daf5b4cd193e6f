#include "kernels/operators/parse.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/operators/name_rules.hpp"
#include "kernels/operators/type_parser.hpp"

namespace kbench::ops {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ParsedSchema parse() {
    Schema schema;
    const std::size_t open = text_.find('(');
    const std::size_t close = open == npos ? npos : skip_group(text_, open);
    if (close == npos) {
      const std::size_t at = open == npos ? text_.size() : open;
      invalid(at, open == npos ? "a \"(\" and the arguments must follow the name"
                               : "nothing closes this \"(\"");
      return finish(std::move(schema));
    }
    read_name({text_.substr(0, open), 0}, schema.name);
    read_arguments({text_.substr(open + 1, close - open - 2), open + 1}, schema);
    read_arrow(close, schema);
    return finish(std::move(schema));
  }

 private:
  ParsedSchema finish(Schema schema) {
    std::stable_sort(flaws_.begin(), flaws_.end(),
                     [](const Flaw& a, const Flaw& b) { return a.at < b.at; });
    const bool is_good = std::none_of(flaws_.begin(), flaws_.end(),
                                      [](const Flaw& flaw) { return flaw.level == Level::error; });
    ParsedSchema parsed{std::nullopt, std::move(flaws_)};
    if (is_good) parsed.schema = std::move(schema);
    return parsed;
  }

  void invalid(std::size_t at, std::string hint) {
    flaws_.push_back({Level::error, at, fmt::format("Invalid function schema: {}", text_), hint});
  }

  void blanks(std::size_t at, std::string_view should_be) {
    flaws_.push_back(blank_flaw(at, should_be));
  }

  void read_name(Piece piece, OperatorName& name) {
    if (piece.trimmed().text != piece.text) blanks(piece.at, "no blank");
    check_name(piece.trimmed(), flaws_);
    name = operator_name(piece.trimmed().text);
  }

  // Text behind a comma begins with one blank, the first with none.
  Piece without_blanks(Piece part, bool is_first) {
    const Piece inner = part.trimmed();
    const std::string_view wanted = is_first ? "" : " ";
    const bool is_usual =
        part.text.size() == wanted.size() + inner.text.size() && part.text.starts_with(wanted);
    if (!is_usual)
      blanks(part.at, is_first ? "no blank" : "one blank behind the comma and none before it");
    return inner;
  }

  void read_arguments(Piece list, Schema& schema) {
    bool keywords = false;
    bool is_first = true;
    for (const Piece& part : split_at_commas(list)) {
      const Piece piece = without_blanks(part, is_first);
      is_first = false;
      if (piece.text == "*") {
        if (keywords)
          flaws_.push_back({Level::error, piece.at,
                            "invalid syntax: kwarg-only specifier * can only occur once",
                            "every argument behind the first * is keyword-only"});
        keywords = true;
      } else {
        const Argument argument = parse_argument(piece, flaws_);
        place(argument, keywords, schema);
      }
    }
  }

  void place(const Argument& argument, bool keywords, Schema& schema) {
    if (!keywords) {
      schema.positional.push_back(argument);
    } else if (argument.is_write()) {
      schema.out.push_back(argument);
    } else {
      if (!schema.out.empty())
        flaws_.push_back(
            {Level::error, argument.begin,
             fmt::format("non-mutable argument '{}' cannot follow mutable out arguments",
                         argument.name),
             "arguments with (a!) come last"});
      schema.keyword_only.push_back(argument);
    }
  }

  void read_arrow(std::size_t at, Schema& schema) {
    constexpr std::string_view arrow = " -> ";
    const Piece rest{text_.substr(at), at};
    if (rest.text.starts_with(arrow)) return read_returns(rest.from(arrow.size()), schema);
    const Piece inner = rest.trimmed();
    if (!inner.text.starts_with("->"))
      return invalid(at, "\" -> \" and what it returns must follow, \" -> ()\" for nothing");
    blanks(at, "\" -> \"");
    read_returns(inner.from(inner.text.starts_with("-> ") ? 3 : 2), schema);
  }

  void read_returns(Piece piece, Schema& schema) {
    const Piece inner = piece.trimmed();
    if (inner.text != piece.text) blanks(piece.at, "no blank");
    const bool is_tuple =
        inner.text.starts_with('(') && skip_group(inner.text, 0) == inner.text.size();
    const Piece list = is_tuple ? inner.until(inner.text.size() - 1).from(1) : inner;
    if (inner.empty()) return invalid(inner.at, "what it returns is missing; () for nothing");
    bool is_first = true;
    for (const Piece& part : split_at_commas(list)) {
      schema.returns.push_back(parse_return(without_blanks(part, is_first), flaws_));
      is_first = false;
    }
    if (is_tuple && schema.returns.size() == 1) blanks(inner.at, "one value without parentheses");
    if (!is_tuple && schema.returns.size() > 1)
      invalid(inner.at, "several values stand in parentheses");
  }

  std::string_view text_;
  std::vector<Flaw> flaws_;
};

}  // namespace

ParsedSchema parse_schema(std::string_view text) { return Parser(text).parse(); }

}  // namespace kbench::ops
