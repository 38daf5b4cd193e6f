// The beginning of each file of an emulated solution: names that would keep the compiler from
// saying what the program reads and writes. The compiler itself refuses them, however a program
// puts them together; in macros that are there before, and in kbench's own headers, they may be.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "emulate/translate.hpp"
#include "syntax/cpp_tokens.hpp"

namespace kbench {
namespace {

// Attributes that take checks away, what writes to the assembler's text, what finds the runtime.
constexpr std::string_view names =
    " no_sanitize no_sanitize_thread no_sanitize_undefined __no_sanitize__ __no_sanitize_thread__"
    " __no_sanitize_undefined__ asm __asm __asm__ section __section__"
    " symver __symver__ __weakref__ naked __naked__ __ubsan_handle_type_mismatch_v1"
    " kbench_emulation_call kbench_emulation_add_memory kbench_emulation_remove_memory"
    " kbench_emulation_has_torch kbench_emulation_memcpy kbench_emulation_memmove"
    " kbench_emulation_memset";

// Instructions of the processor that touch memory with no call before them; with them the headers
// are refused that have functions for them.
constexpr std::string_view instructions =
    "loadhpd loadlpd loadhps loadlps storehps storelps maskmovdqu maskmovq movnti movnti64 movntq "
    "movntdq movntpd movntps movntdqa lddqu lddqu256 movntdq256 movntpd256 movntps256 movntdqa256 "
    "maskloadpd maskloadps maskloadpd256 maskloadps256 maskloadd maskloadq maskloadd256 "
    "maskloadq256 maskstorepd maskstoreps maskstorepd256 maskstoreps256 maskstored maskstoreq "
    "maskstored256 maskstoreq256 vbroadcastf128_pd256 vbroadcastf128_ps256";

// Names the functions that the compiler calls before accesses.
std::string hooks() {
  std::string out = " __tsan_read_range __tsan_write_range __tsan_vptr_read __tsan_vptr_update";
  for (const int bytes : {1, 2, 4, 8, 16}) {
    for (const char* kind : {"", "unaligned_", "volatile_", "unaligned_volatile_"})
      out += fmt::format(" __tsan_{0}read{1} __tsan_{0}write{1}", kind, bytes);
    for (const std::string_view kind :
         split("load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand "
               "compare_exchange_strong compare_exchange_weak compare_exchange_val",
               ' '))
      out += fmt::format(" __tsan_atomic{}_{}", 8 * bytes, kind);
  }
  return out;
}

// "-DF(x)=y" → "#define F(x) y", and a line that one which ends in a backslash goes on with.
std::string definition(std::string_view flag) {
  const std::size_t equals = std::min(flag.find('='), flag.size());
  const std::string_view value = equals < flag.size() ? flag.substr(equals + 1) : "1";
  return fmt::format("#define {} {}\n\n", flag.substr(2, equals - 2), value);
}

using Words = std::set<std::string, std::less<>>;

void add_words(std::string_view text, Words& words) {
  for (const CppToken& token : cpp_tokens(text)) {
    if (token.kind == CppToken::Kind::word) words.insert(lower(token.text));
    if (token.kind == CppToken::Kind::directive) {
      const std::size_t name = token.text.find_first_of(" (");
      if (name != token.text.npos) add_words(token.text.substr(name), words);
    }
  }
}

// Whether words, one behind the other, begin with the name.
bool can_spell(std::string_view name, const Words& words) {
  std::vector<bool> is_reached(name.size() + 1);
  is_reached[0] = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    for (const std::string& word : words) {
      if (is_reached[i] && word.starts_with(rest)) return true;
      if (is_reached[i] && rest.starts_with(word)) is_reached[i + word.size()] = true;
    }
  }
  return is_reached.back();
}

}  // namespace

void refuse_made_names(const std::vector<SourceFile>& sources,
                       const std::vector<std::string>& flags, Diagnostics& diagnostics) {
  constexpr std::string_view name = "kbench_emulation";
  const auto pastes = [](std::string_view text) {
    return text.find("##") != text.npos || text.find("%:%:") != text.npos;
  };
  Words words;
  std::string pasting;  // a file that puts words together
  bool is_in_flags = false;
  for (const std::string& flag : flags) {
    is_in_flags |= lower(flag).find(name) != flag.npos;
    if (pastes(flag)) pasting = "compile_flags";
    if (flag.starts_with("-D")) add_words(flag.substr(2), words);
  }
  for (const SourceFile& source : sources) {
    if (pastes(source.content)) pasting = source.path;
    add_words(source.content, words);
  }
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(name); });  // seen
  if (is_in_flags || (!pasting.empty() && can_spell(name, words)))
    diagnostics.error({is_in_flags ? "compile_flags" : pasting, 0, 0, "", ""},
                      "not emulated: macros may make a name of it that is not the program's");
}

std::string closed_text(TorchWords torch, const std::vector<std::string>& flags) {
  std::string text = "#pragma once\n#include <kbench_emulation_closed.h>\n";
  if (torch == TorchWords::pose)
    text += "#include <x86intrin.h>\n#include <kbench_emulated_memory.h>\n";
  else
    text += "#pragma GCC poison weakref\n";  // a class of pybind11
  text += fmt::format("#pragma GCC poison{}{}\n", names, hooks());
  for (const std::string_view one : split(instructions, ' '))
    text += fmt::format("#pragma GCC poison __builtin_ia32_{}\n", one);
  for (const std::string& flag : flags)
    if (flag.starts_with("-D")) text += definition(flag);
  return text;
}

}  // namespace kbench
