#include "reference/torch/text/draft.hpp"

#include <algorithm>
#include <utility>

namespace kbench {
namespace {

using python::TokenKind;

constexpr std::string_view keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_layout(TokenKind kind) {
  return kind == TokenKind::newline || kind == TokenKind::indent || kind == TokenKind::dedent ||
         kind == TokenKind::end;
}

// Between two tokens: blanks, line breaks, comments and continued lines.
std::string without_comments(std::string_view gap) {
  std::string out;
  for (std::size_t i = 0; i < gap.size(); ++i) {
    if (gap[i] == '#') i = std::min(gap.find('\n', i), gap.size());
    if (i < gap.size()) out += gap[i];
  }
  return out;
}

std::string line_breaks(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

}  // namespace

bool is_opening(std::string_view word) { return word == "(" || word == "[" || word == "{"; }

bool is_closing(std::string_view word) { return word == ")" || word == "]" || word == "}"; }

std::optional<Draft> Draft::read(std::string_view text, int& line) {
  Draft draft;
  draft.text_ = text;
  draft.line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') draft.line_starts_.push_back(i + 1);
  }
  // The rules go from token to token and take for granted that these make statements.
  const auto module = python::parse_module(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&module)) {
    const auto before = text.substr(0, std::min(error->offset, text.size()));
    line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    return std::nullopt;
  }
  auto result = python::tokenize(text);
  DraftLine current;
  for (const python::Token& token : std::get<std::vector<python::Token>>(result)) {
    if (token.kind == TokenKind::indent) ++current.level;
    if (token.kind == TokenKind::dedent) --current.level;
    if (!is_layout(token.kind)) {
      const bool starts_line = current.first == draft.tokens_.size();
      draft.tokens_.push_back({token.kind, token.begin, token.end, {}, {}, {}, false, starts_line});
    } else if (token.kind == TokenKind::newline || token.kind == TokenKind::end) {
      current.last = draft.tokens_.size();
      if (current.last > current.first) draft.lines_.push_back(current);
      current.first = current.last;
    }
  }
  return draft;
}

std::string_view Draft::word(std::size_t token) const {
  if (token >= tokens_.size()) return "";
  return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
}

bool Draft::is_name(std::size_t token) const {
  if (token >= tokens_.size() || tokens_[token].kind != TokenKind::name) return false;
  return std::find(std::begin(keywords), std::end(keywords), word(token)) == std::end(keywords);
}

int Draft::line_of(std::size_t token) const {
  const std::size_t offset = token < tokens_.size() ? tokens_[token].begin : text_.size();
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(after - line_starts_.begin());
}

std::size_t Draft::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::op) continue;
    if (is_opening(word(i))) ++depth;
    if (is_closing(word(i))) --depth;
    if (depth == 0) return i;
  }
  return tokens_.size();
}

std::size_t Draft::past(std::size_t token) const {
  return is_opening(word(token)) ? closing(token) : token;
}

void Draft::replace(std::size_t token, std::string with) {
  // A text over several lines keeps their number.
  const std::string was = line_breaks(word(token));
  const std::string is = line_breaks(with);
  if (was.size() > is.size()) with += was.substr(is.size());
  tokens_[token].replacement = std::move(with);
}

void Draft::replace_all(std::size_t first, std::size_t last, const std::string& with) {
  for (std::size_t i = first; i < last; ++i) {
    tokens_[i].replacement = (i == first ? with : "") + line_breaks(word(i));
    tokens_[i].before.clear();
    tokens_[i].after.clear();
    tokens_[i].removed = i != first;
  }
}

void Draft::insert_before(std::size_t token, std::string_view what) {
  tokens_[token].before.insert(0, what);
}

void Draft::insert_after(std::size_t token, std::string_view what) {
  tokens_[token].after.append(what);
}

std::string Draft::gap_before(std::size_t token) const {
  const std::size_t begin = token == 0 ? 0 : tokens_[token - 1].end;
  const std::string_view gap = text_.substr(begin, tokens_[token].begin - begin);
  return tokens_[token].removed ? line_breaks(gap) : without_comments(gap);
}

std::string Draft::render(std::size_t first, std::size_t last, bool lead) const {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    const Piece& piece = tokens_[i];
    if (i > first || lead) out += gap_before(i);
    out += piece.before;
    out += piece.replacement ? *piece.replacement : std::string(word(i));
    out += piece.after;
  }
  return out;
}

}  // namespace kbench
