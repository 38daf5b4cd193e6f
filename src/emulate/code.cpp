#include "emulate/code.hpp"

#include <algorithm>

namespace kbench {

bool Code::is_run(std::size_t i, std::string_view symbol, std::size_t count) const {
  if (i + count > size()) return false;
  for (std::size_t k = 0; k < count; ++k) {
    const bool follows = k == 0 || tokens[i + k].begin == tokens[i + k - 1].end;
    if (!tokens[i + k].is(symbol) || !follows) return false;
  }
  return true;
}

std::string Code::text(std::size_t begin, std::size_t end) const {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && tokens[i].begin != tokens[i - 1].end) out += ' ';
    out += source.text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
  }
  return out;
}

std::string Code::line_breaks(std::size_t begin, std::size_t end) const {
  if (begin >= end) return "";
  const auto first = source.text.begin() + static_cast<std::ptrdiff_t>(tokens[begin].begin);
  const auto last = source.text.begin() + static_cast<std::ptrdiff_t>(tokens[end - 1].end);
  std::string out;
  for (auto count = std::count(first, last, '\n'); count > 0; --count)
    out += is_macro ? "\\\n" : "\n";
  return out;
}

void Code::insert(std::size_t byte, std::string text) const {
  edits.push_back({byte, byte, std::move(text)});
}

void Code::replace(std::size_t token, std::string text) const {
  edits.push_back({tokens[token].begin, tokens[token].end, std::move(text)});
}

void Code::refuse(std::size_t token, const std::string& what) const {
  diagnostics.error(locate(source, tokens[token].begin), "not emulated: " + what);
}

namespace {

constexpr std::string_view opens = "([{";
constexpr std::string_view closes = ")]}";

bool is_one(const CppToken& token, std::string_view of) {
  return token.kind == CppToken::Kind::symbol && token.text.size() == 1 &&
         of.find(token.text[0]) != of.npos;
}

// Walks from `at` by `step` until the depth is 0 again.
std::size_t partner(const Code& code, std::size_t at, std::size_t step, std::string_view in,
                    std::string_view out) {
  int depth = 0;
  for (std::size_t i = at; i < code.size(); i += step) {  // wraps below 0, and ends there
    if (is_one(code.tokens[i], in)) ++depth;
    if (is_one(code.tokens[i], out) && --depth == 0) return i;
  }
  return code.size();
}

constexpr std::size_t back = static_cast<std::size_t>(-1);

// Stops at tokens that arguments of a template never have.
std::size_t angle_partner(const Code& code, std::size_t at, std::size_t step, std::string_view in,
                          std::string_view out) {
  const bool forward = step == 1;
  int depth = 0;
  for (std::size_t i = at; i < code.size(); i += step) {
    const CppToken& token = code.tokens[i];
    if (is_one(token, in)) ++depth;
    if (is_one(token, out) && --depth == 0) return i;
    if (is_one(token, forward ? opens : closes))
      i = forward ? closing(code, i) : opening(code, i);
    else if (is_one(token, forward ? ")]};" : "([{;"))
      break;
    if (i >= code.size()) break;
  }
  return code.size();
}

}  // namespace

std::size_t closing(const Code& code, std::size_t open) {
  return partner(code, open, 1, opens, closes);
}
std::size_t opening(const Code& code, std::size_t close) {
  return partner(code, close, back, closes, opens);
}
std::size_t closing_angle(const Code& code, std::size_t open) {
  return angle_partner(code, open, 1, "<", ">");
}
std::size_t opening_angle(const Code& code, std::size_t close) {
  return angle_partner(code, close, back, ">", "<");
}

std::string with_edits(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;  // lies within what another one has replaced
    out += text.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.end;
  }
  return out += text.substr(at);
}

}  // namespace kbench
