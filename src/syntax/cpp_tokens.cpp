#include "syntax/cpp_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.hpp"
#include "base/words.hpp"

namespace kbench {
namespace {

using TokenKind = CppToken::Kind;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) { return '0' <= c && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<CppToken> scan() {
    while (skip_blanks(), at_ < text_.size()) {
      begin_ = at_;
      if (text_[at_] == '#' && begins_line_) {
        add(TokenKind::directive, directive());
      } else {
        token();
      }
    }
    return std::move(tokens_);
  }

 private:
  bool sees(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), begins_line_, begin_, at_});
    begins_line_ = kind == TokenKind::directive;
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        begins_line_ = true;
      } else if (!skip_comment() && !is_blank()) {
        return;
      }
    }
  }

  // A backslash before a line break is one, too.
  bool is_blank() const {
    const bool is_splice = sees("\\\n") || sees("\\\r\n");
    return is_splice || std::isspace(static_cast<unsigned char>(text_[at_])) != 0;
  }

  // Skips a comment, and stands on its last character then.
  bool skip_comment() {
    if (sees("//")) {
      at_ = end_of_line() - 1;
    } else if (sees("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() - 1 : end + 1;
    } else {
      return false;
    }
    return true;
  }

  // Returns the end of the line; that of the last one where lines end in a backslash.
  std::size_t end_of_line() const {
    std::size_t end = text_.find('\n', at_);
    while (end != text_.npos && trim(text_.substr(0, end).substr(at_)).ends_with('\\'))
      end = text_.find('\n', end + 1);
    return std::min(end, text_.size());
  }

  // Comments in it may go over lines of their own.
  std::string directive() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (skip_comment()) {
        out += ' ';
      } else if (sees("\\\n") || sees("\\\r\n")) {
        at_ = text_.find('\n', at_);
        out += ' ';
      } else {
        out += text_[at_];
      }
    }
    return std::string(trim(out));
  }

  void token() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (c == '"' || c == '\'') return quoted(c);
    if (!is_word_character(c)) {
      const bool is_long = sees("::") || sees("->");
      at_ += is_long ? 2 : 1;
      return add(TokenKind::symbol, std::string(text_.substr(begin, at_ - begin)));
    }
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (sees("\"") && is_one_of(word, {"R", "u8R", "uR", "UR", "LR"})) return raw_string();
    add(TokenKind::word, std::string(word));
  }

  // 1'000, 0x1p-3, 2.5e+7f
  void number() {
    const std::size_t begin = at_;
    const auto goes_on = [&] {
      const char c = text_[at_];
      const bool is_sign =
          (c == '+' || c == '-') && is_one_of(text_.substr(at_ - 1, 1), {"e", "E", "p", "P"});
      return is_word_character(c) || c == '.' || c == '\'' || is_sign;
    };
    for (++at_; at_ < text_.size() && goes_on();) ++at_;
    add(TokenKind::literal, std::string(text_.substr(begin, at_ - begin)));
  }

  // A literal that is not closed ends with its line.
  void quoted(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    add(TokenKind::literal, std::string(text_.substr(begin, at_ - begin)));
  }

  // R"x(…)x"
  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) return quoted('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, open);
    at_ = close == text_.npos ? text_.size() : close + end.size();
    add(TokenKind::literal, "\"\"");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // start of the token in hand
  bool begins_line_ = true;
  std::vector<CppToken> tokens_;
};

// `#if` and what belongs to it, up to its `#endif`.
struct Group {
  std::vector<std::size_t> live;  // branches that may be compiled
  std::size_t branches = 1;
  bool has_other = false;  // one of them is always compiled
};

bool is_never(std::string_view condition) { return condition == "0" || condition == "false"; }
bool is_always(std::string_view condition) { return condition == "1" || condition == "true"; }

enum class Turn { none, opens, changes, closes };

Turn turn_of(const CppToken& token) {
  const std::string_view directive = token.text;
  if (token.kind != TokenKind::directive) return Turn::none;
  if (directive.starts_with("if")) return Turn::opens;
  if (directive.starts_with("el")) return Turn::changes;
  return directive.starts_with("endif") ? Turn::closes : Turn::none;
}

// Groups in the order in which they begin.
std::vector<Group> groups_of(const std::vector<CppToken>& tokens) {
  std::vector<Group> groups;
  std::vector<std::size_t> open;
  for (const CppToken& token : tokens) {
    const Turn turn = turn_of(token);
    const std::size_t blank = token.text.find(' ');
    const std::string_view condition =
        blank == std::string::npos ? "" : trim(std::string_view(token.text).substr(blank));
    if (turn == Turn::opens) {
      open.push_back(groups.size());
      groups.emplace_back();
      if (!is_never(condition)) groups.back().live.push_back(0);
      groups.back().has_other = is_always(condition);
    } else if (turn != Turn::none && !open.empty()) {
      Group& group = groups[open.back()];
      const bool is_left_out = is_never(condition) || group.has_other;
      if (turn == Turn::closes) {
        open.pop_back();
      } else {
        if (!is_left_out) group.live.push_back(group.branches);
        ++group.branches;
        group.has_other |= token.text.starts_with("else") || is_always(condition);
      }
    }
  }
  return groups;
}

// The code compiled where each group turns out in its branch `number`, or its last one; the last
// number leaves out groups without an alternative.
std::vector<CppToken> alternative(const std::vector<CppToken>& tokens,
                                  const std::vector<Group>& groups, std::size_t number,
                                  bool is_last) {
  struct Open {
    std::optional<std::size_t> taken;
    std::size_t branch = 0;
    bool is_in() const { return taken == branch; }
  };
  std::vector<CppToken> out;
  std::vector<Open> open;
  std::size_t next = 0;
  const auto branch_of = [&](const Group& group) -> std::optional<std::size_t> {
    if (group.live.empty() || (is_last && !group.has_other)) return std::nullopt;
    return group.live[std::min(number, group.live.size() - 1)];
  };
  for (const CppToken& token : tokens) {
    const Turn turn = turn_of(token);
    if (turn == Turn::opens) {
      open.push_back({branch_of(groups[next++])});
    } else if (turn == Turn::changes && !open.empty()) {
      ++open.back().branch;
    } else if (turn == Turn::closes && !open.empty()) {
      open.pop_back();
    } else if (token.kind != TokenKind::directive &&
               std::all_of(open.begin(), open.end(), [](const Open& one) { return one.is_in(); })) {
      out.push_back(token);
    }
  }
  return out;
}

}  // namespace

std::vector<CppToken> cpp_tokens(std::string_view source) { return Scanner(source).scan(); }

std::vector<std::vector<CppToken>> cpp_alternatives(const std::vector<CppToken>& tokens) {
  constexpr std::size_t most = 8;
  const std::vector<Group> groups = groups_of(tokens);
  std::size_t count = groups.empty() ? 0 : 1;
  for (const Group& group : groups) count = std::max(count, std::min(group.live.size(), most));
  std::vector<std::vector<CppToken>> all;
  for (std::size_t i = 0; i <= count; ++i)
    all.push_back(alternative(tokens, groups, i, i == count && count > 0));
  return all;
}

std::size_t closing_bracket(const std::vector<CppToken>& tokens, std::size_t open) {
  constexpr std::string_view opening = "([{";
  constexpr std::string_view closing = ")]}";
  const std::string_view first = tokens[open].text;
  const char last = closing[opening.find(first[0])];
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is(first)) ++depth;
    if (tokens[i].is(std::string_view(&last, 1)) && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace kbench
