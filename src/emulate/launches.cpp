// kernel<T, 4><<<grid, block>>>(x, n) → KBENCH_EMULATED_LAUNCH((kernel<T, 4>), (grid, block), x, n)
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "emulate/code.hpp"

namespace kbench {
namespace {

constexpr std::string_view no_name[] = {
    "return", "else", "do",     "case", "co_return", "throw", "co_yield", "co_await", "if",
    "while",  "for",  "switch", "goto", "default",   "new",   "delete",   "operator"};

bool is_name(const Code& code, std::size_t i) {
  return code.is_word(i) && !is_one_of(code.tokens[i].text, no_name);
}

// Tells whether it is the bracket of `if (x)`, which `(k)` may follow.
bool is_condition(const Code& code, std::size_t close) {
  const std::size_t open = code.is(close, ")") ? opening(code, close) : code.size();
  return open != code.size() && open > 0 &&
         is_one_of(code.tokens[open - 1].text, {"if", "while", "for", "switch"});
}

bool ends_operand(const Code& code, std::size_t end) {
  const std::size_t last = end - 1;
  return end > 0 && (is_name(code, last) || code.is(last, ">") || code.is(last, "]") ||
                     (code.is(last, ")") && !is_condition(code, last)));
}

// Returns the end of a name with calls and indices behind it; Code::size() where these are not
// closed. `(k)` without a name is a unit itself: `is_unit`.
std::size_t before_calls(const Code& code, std::size_t end, bool& is_unit) {
  std::size_t i = end;
  while (!is_unit && i > 0 && (code.is(i - 1, ")") || code.is(i - 1, "]"))) {
    i = opening(code, i - 1);
    is_unit = i == code.size() || !ends_operand(code, i);
  }
  return i;
}

// Returns the begin of the name whose last word is at `last`: `prefix##name`.
std::size_t begin_of_name(const Code& code, std::size_t last) {
  std::size_t i = last;
  while (i > 2 && code.is(i - 1, "#") && code.is(i - 2, "#") && is_name(code, i - 3)) i -= 3;
  return i > 0 && code.is_word(i - 1, "template") ? i - 1 : i;
}

// Returns the first token of `name`, `name<T>`, `prefix##name` or `(x)`, with calls and indices
// behind it, that ends before `end`; Code::size() where none does.
std::size_t begin_of_unit(const Code& code, std::size_t end) {
  bool is_unit = false;
  std::size_t i = before_calls(code, end, is_unit);
  if (is_unit) return i;
  if (i > 0 && code.is(i - 1, ">")) i = opening_angle(code, i - 1);
  if (i == 0 || i == code.size() || !is_name(code, i - 1)) return code.size();
  return begin_of_name(code, i - 1);
}

// Returns the first token of a whole operand: `a::b<T>::c`, `x.y` and `x->y`, too.
std::size_t begin_of_operand(const Code& code, std::size_t end) {
  std::size_t begin = begin_of_unit(code, end);
  while (begin > 0 && begin < code.size()) {
    const std::size_t before = begin - 1;
    const bool is_scope = code.is(before, "::");
    const bool is_member = code.is(before, ".") || code.is(before, "->");
    if (!is_scope && !is_member) return begin;
    if (is_scope && !ends_operand(code, before)) return before;  // the global namespace's
    begin = begin_of_unit(code, before);
  }
  return begin;
}

// Returns the first of the three tokens that end the configuration, which begins at `from`.
std::size_t end_of_configuration(const Code& code, std::size_t from) {
  for (std::size_t i = from; i < code.size(); ++i) {
    if (code.is(i, "(") || code.is(i, "[") || code.is(i, "{")) {
      i = closing(code, i);
    } else if (code.is_run(i, ">", 3)) {
      while (code.is_run(i, ">", 4)) ++i;  // arguments of a template end there, too
      return i;
    } else if (code.is(i, ";") || code.is(i, ")") || code.is(i, "}")) {
      break;
    }
  }
  return code.size();
}

// Tells whether nvcc leaves a file to the compiler of C++, which knows no launches.
bool is_file_of_cpp(const std::string& path) {
  const auto is_end = [&](std::string_view end) { return path.ends_with(end); };
  return std::ranges::any_of(std::array{".cpp", ".cc", ".cxx", ".c"}, is_end);
}

// Returns the token that ends the launch; that at `at` where it is refused.
std::size_t refuse_launch(const Code& code, std::size_t at, std::size_t place, const char* why) {
  code.refuse(place, why);
  return at;
}

std::size_t translate_launch(const Code& code, std::size_t at) {
  if (is_file_of_cpp(code.source.path))
    return refuse_launch(code, at, at, "a launch in a file of C++: nvcc takes it in a .cu");
  const std::size_t kernel = begin_of_operand(code, at);
  if (kernel >= at)
    return refuse_launch(code, at, at, "a launch whose kernel does not stand before it");
  const std::size_t end = end_of_configuration(code, at + 3);
  if (end == code.size()) return refuse_launch(code, at, at, "a launch whose <<< has no >>>");
  if (!code.is(end + 3, "("))
    return refuse_launch(code, at, at, "a launch whose arguments do not stand behind it");
  const std::size_t close = closing(code, end + 3);
  if (close == code.size())
    return refuse_launch(code, at, end + 3, "a launch whose arguments do not end");
  code.insert(code.tokens[kernel].begin, "KBENCH_EMULATED_LAUNCH((");
  code.edits.push_back({code.tokens[at].begin, code.tokens[at + 2].end, "), ("});
  code.edits.push_back({code.tokens[end].begin, code.tokens[end + 2].end, ")"});
  code.replace(end + 3, close == end + 4 ? "" : ", ");
  return close;
}

// Returns the first token behind a cast to void* that begins at `begin`; `begin` if there is none.
std::size_t end_of_cast(const Code& code, std::size_t begin) {
  const bool has_name = code.is_word(begin, "reinterpret_cast");
  std::size_t at = begin + (has_name ? 1 : 0);
  if (!code.is(at++, has_name ? "<" : "(")) return begin;
  bool is_void = false;
  for (; code.is_word(at, "const") || code.is_word(at, "void") || code.is(at, "*"); ++at)
    is_void |= code.is_word(at, "void");
  return is_void && code.is(at, has_name ? ">" : ")") ? at + 1 : begin;
}

// Drops a cast from cudaLaunchKernel((void*)kernel, …), which needs the kernel's type here.
void drop_cast(const Code& code, std::size_t call) {
  const std::size_t begin = call + 2, end = end_of_cast(code, begin);
  for (std::size_t i = begin; i < end; ++i) code.replace(i, "");
}

// Puts a check of the first of the bounds into the body: `__launch_bounds__(128) k(int n) {`.
void translate_bounds(const Code& code, std::size_t at) {
  const std::size_t end = closing(code, at + 1);
  std::size_t open = end;
  while (open < code.size() && !code.is(open, "(") && !code.is(open, ";")) ++open;
  const std::size_t body = code.is(open, "(") ? closing(code, open) + 1 : code.size();
  if (!code.is(body, "{")) return;  // a declaration
  code.insert(code.tokens[body].end,
              " ::kbench_emulation::keep_bounds(" + code.text(at + 2, end) + ");");
}

bool is_call_of_launch(const Code& code, std::size_t i) {
  return (code.is_word(i, "cudaLaunchKernel") || code.is_word(i, "cudaLaunchCooperativeKernel")) &&
         code.is(i + 1, "(");
}

void translate_word(const Code& code, std::size_t i) {
  if (is_call_of_launch(code, i)) drop_cast(code, i);
  // Macros of that name would change the attributes of the system's headers.
  if (code.is_word(i, "__noinline__") && !(i > 0 && code.is(i - 1, "(")))
    code.replace(i, "__attribute__((noinline))");
  if (code.is_word(i, "__launch_bounds__") && code.is(i + 1, "(")) translate_bounds(code, i);
}

// Limits depth: each launch is looked through to its end, and those within it, too.
bool is_too_deep(std::vector<std::size_t>& ends, std::size_t at) {
  constexpr std::size_t most_nested = 16;
  while (!ends.empty() && ends.back() < at) ends.pop_back();
  return ends.size() == most_nested;
}

}  // namespace

void translate_launches(const Code& code) {
  constexpr std::size_t most_refused = 16;  // each is looked through to the source's end
  std::size_t refused = 0;
  std::vector<std::size_t> ends;  // ends of the launches around the next token
  for (std::size_t i = 0; i < code.size(); ++i) {
    translate_word(code, i);
    if (!code.is_run(i, "<", 3)) continue;
    if (is_too_deep(ends, i)) return code.refuse(i, "launches within launches, so many");
    const bool is_operator = i > 0 && code.is_word(i - 1, "operator");
    if (!is_operator) ends.push_back(translate_launch(code, i));
    if (!is_operator && ends.back() == i && ++refused == most_refused) return;
    i += 2;
  }
}

}  // namespace kbench
