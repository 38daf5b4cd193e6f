// Text at the beginning of each file of an emulated solution: names that would keep the compiler
// from saying what the program reads and writes. The compiler itself refuses them, however a
// program puts them together; in earlier macros, and in kbench's own headers, they may be.
#include "emulate/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/words.hpp"
#include "emulate/code.hpp"
#include "syntax/cpp_tokens.hpp"

namespace kbench {
namespace {

using Kind = CppToken::Kind;
using Tokens = std::vector<CppToken>;

// Feature that no header can give.
struct Refused {
  std::string_view word, what;
};
constexpr Refused refused[] = {{"__cluster_dims__", "clusters of blocks"},
                               {"cudaLaunchKernelExC", "launches with attributes"}};

// Recognises names that only kbench's own code calls.
bool is_ours(const CppToken& token) {
  return token.kind == Kind::word && (lower(token.text).starts_with("kbench_emulation") ||
                                      token.text.starts_with("__builtin_ia32_"));
}

// Returns the tokens without those that `#if 0` leaves out.
Tokens compiled(const Tokens& tokens) {
  Tokens out;
  int depth = 0;  // depth of `#if` within a part left out; 0: none is
  for (const CppToken& token : tokens) {
    if (token.kind != Kind::directive) {
      if (depth == 0) out.push_back(token);
      continue;
    }
    const bool opens = token.text.starts_with("if");
    const bool ends = token.text.starts_with("endif");
    const bool changes = token.text.starts_with("el") && depth == 1;
    if (depth == 0)
      depth = is_one_of(token.text, {"if 0", "if false"}) ? 1 : 0;
    else if (opens)
      ++depth;
    else if (ends || changes)
      --depth;
    if (depth == 0) out.push_back(token);
  }
  return out;
}

// Returns the tokens of a text from byte `begin` to `end`, by bytes of the whole.
Tokens tokens_between(std::string_view text, std::size_t begin, std::size_t end) {
  Tokens tokens = cpp_tokens(text.substr(begin, end - begin));
  for (CppToken& token : tokens) {
    token.begin += begin;
    token.end += begin;
  }
  return tokens;
}

class Translator {
 public:
  Translator(const Source& source, TorchWords torch, Diagnostics& diagnostics)
      : source_(source), torch_(torch), diagnostics_(diagnostics) {}

  std::string run() {
    const Tokens tokens = compiled(cpp_tokens(source_.text));
    for (const CppToken& token : tokens) {
      if (token.kind != Kind::directive) continue;
      if (token.text.starts_with("define ")) define(token);
      if (token.text.starts_with("if") || token.text.starts_with("elif"))
        rename_macros({source_, tokens_between(source_.text, token.begin + 1, token.end), edits_,
                       diagnostics_});
    }
    rewrite({source_, tokens, edits_, diagnostics_});
    return with_edits(source_.text, std::move(edits_));
  }

 private:
  // Rewrites the body of a macro for the places where it is used.
  void define(const CppToken& directive) {
    const std::size_t begin = source_.text.find("define", directive.begin) + 6;
    Tokens tokens = tokens_between(source_.text, begin, directive.end);
    if (tokens.empty()) return;
    Code macro{source_, {}, edits_, diagnostics_, true};
    std::size_t body = 1;
    const bool has_parameters =
        tokens.size() > 1 && tokens[1].is("(") && tokens[1].begin == tokens[0].end;
    if (has_parameters) {
      for (; body < tokens.size() && !tokens[body].is(")"); ++body)
        if (tokens[body].kind == Kind::word) macro.parameters.insert(tokens[body].text);
      body = std::min(body + 1, tokens.size());
    }
    macro.tokens.assign(tokens.begin() + static_cast<std::ptrdiff_t>(body), tokens.end());
    rewrite(macro);
  }

  // Renames nvcc's macros of device code: headers of others than the solution must not see them.
  static void rename_macros(const Code& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code.is_word(i, "__CUDA_ARCH__")) code.replace(i, "KBENCH_EMULATED_ARCH");
      if (code.is_word(i, "__CUDACC__")) code.replace(i, "KBENCH_EMULATED_CUDACC");
    }
  }

  // Drops an attribute in the middle, `static inline [[noreturn]] void f()`: it says nothing to
  // older compilers, and is an error to g++ from 12 on.
  static void drop_late_attributes(const Code& code) {
    for (std::size_t i = 1; i < code.size(); ++i) {
      const bool is_late = code.is_run(i, "[", 2) && code.is_word(i - 1) &&
                           is_one_of(code.tokens[i - 1].text, {"static", "inline", "constexpr"});
      const std::size_t end = is_late ? closing(code, i) : code.size();
      for (; i < end && end < code.size(); ++i) code.replace(i, "");
      if (is_late && i < code.size()) code.replace(i, "");
    }
  }

  void rewrite(const Code& code) {
    rename_macros(code);
    drop_late_attributes(code);
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (const Refused& one : refused)
        if (code.is_word(i, one.word)) code.refuse(i, std::string(one.what));
      if (is_ours(code.tokens[i])) code.refuse(i, "a name that is not the program's");
    }
    translate_launches(code);
    translate_shared(code);
    translate_assembly(code);
    if (torch_ == TorchWords::pose) translate_torch_words(code);
  }

  const Source& source_;
  TorchWords torch_;
  Diagnostics& diagnostics_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string translate_cuda(const Source& source, TorchWords torch, Diagnostics& diagnostics) {
  return Translator(source, torch, diagnostics).run();
}

namespace {

// Attributes that drop checks, functions that write assembler's text, ones that find the runtime.
constexpr std::string_view names =
    " no_sanitize no_sanitize_thread no_sanitize_undefined __no_sanitize__ __no_sanitize_thread__"
    " __no_sanitize_undefined__ asm __asm __asm__ section __section__"
    " symver __symver__ __weakref__ naked __naked__ __ubsan_handle_type_mismatch_v1"
    " kbench_emulation_call kbench_emulation_add_memory kbench_emulation_remove_memory"
    " kbench_emulation_has_torch kbench_emulation_memcpy kbench_emulation_memmove"
    " kbench_emulation_memset";

// Instructions of the processor that touch memory with no call before them; headers that have
// functions for them are refused, too.
constexpr std::string_view instructions =
    "loadhpd loadlpd loadhps loadlps storehps storelps maskmovdqu maskmovq movnti movnti64 movntq "
    "movntdq movntpd movntps movntdqa lddqu lddqu256 movntdq256 movntpd256 movntps256 movntdqa256 "
    "maskloadpd maskloadps maskloadpd256 maskloadps256 maskloadd maskloadq maskloadd256 "
    "maskloadq256 maskstorepd maskstoreps maskstorepd256 maskstoreps256 maskstored maskstoreq "
    "maskstored256 maskstoreq256 vbroadcastf128_pd256 vbroadcastf128_ps256";

// Returns the names of the functions that the compiler calls before accesses.
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

// Turns "-DF(x)=y" into "#define F(x) y", and a line to go on after one that ends in a backslash.
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

// Tells whether words, one behind the other, begin with the name.
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
  std::string pasting;  // file that puts words together
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
    diagnostics.error({is_in_flags ? "compile_flags" : pasting},
                      "not emulated: macros may make a name of it that is not the program's");
}

std::string closed_text(TorchWords torch, const std::vector<std::string>& flags) {
  std::string text = "#pragma once\n#include <kbench_emulation_closed.h>\n";
  if (torch == TorchWords::pose)
    text += "#include <x86intrin.h>\n#include <kbench_emulated_memory.h>\n";
  else
    text += "#pragma GCC poison weakref\n";  // class of pybind11
  text += fmt::format("#pragma GCC poison{}{}\n", names, hooks());
  for (const std::string_view one : split(instructions, ' '))
    text += fmt::format("#pragma GCC poison __builtin_ia32_{}\n", one);
  for (const std::string& flag : flags)
    if (flag.starts_with("-D")) text += definition(flag);
  return text;
}

// Questions of the host's code about devices with binding torch: tensors of the CPU pose as CUDA's.

namespace {

struct Word {
  std::string_view cuda, cpu;
};

constexpr Word words[] = {{"is_cuda", "is_cpu"}, {"kCUDA", "kCPU"}};

bool names_device(std::string_view literal) {
  return literal == "\"cuda\"" || literal.starts_with("\"cuda:");
}

bool is_member(const Code& code, std::size_t i) {
  return i > 0 && (code.is(i - 1, ".") || code.is(i - 1, "->"));
}

// Recognises torch::cuda::is_available, which asks LibTorch, as at::cuda::is_available does not.
bool is_torch_of_cuda(const Code& code, std::size_t i) {
  return code.is_word(i, "torch") && code.is(i + 1, "::") && code.is_word(i + 2, "cuda") &&
         code.is(i + 3, "::");
}

bool is_type_of_cuda(const Code& code, std::size_t i) {
  return i > 1 && code.is_word(i, "CUDA") && code.is(i - 1, "::") &&
         code.is_word(i - 2, "DeviceType");
}

// Returns the word that replaces the one at `i`; "" where it stays.
std::string_view instead_of(const Code& code, std::size_t i) {
  for (const Word& word : words)
    if (code.is_word(i, word.cuda)) return word.cpu;
  if (code.is_word(i, "cuda") && is_member(code, i) && code.is(i + 1, "(")) return "cpu";
  if (is_torch_of_cuda(code, i)) return "at";
  return is_type_of_cuda(code, i) ? "CPU" : "";
}

}  // namespace

void translate_torch_words(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.tokens[i].kind == CppToken::Kind::literal && names_device(code.tokens[i].text))
      code.replace(i, "\"cpu\"");
    const std::string_view instead = code.is_word(i) ? instead_of(code, i) : "";
    if (!instead.empty()) code.replace(i, std::string(instead));
  }
}

}  // namespace kbench
