#include "emulate/translate.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "emulate/code.hpp"

namespace kbench {
namespace {

using Kind = CppToken::Kind;
using Tokens = std::vector<CppToken>;

// What no header can give.
struct Refused {
  std::string_view word, what;
};
constexpr Refused refused[] = {{"__cluster_dims__", "clusters of blocks"},
                               {"cudaLaunchKernelEx", "launches with attributes"},
                               {"cudaLaunchKernelExC", "launches with attributes"}};

// Tells names that only kbench's own code calls.
bool is_ours(const CppToken& token) {
  return token.kind == Kind::word && (lower(token.text).starts_with("kbench_emulation") ||
                                      token.text.starts_with("__builtin_ia32_"));
}

// Without what `#if 0` leaves out.
Tokens compiled(const Tokens& tokens) {
  Tokens out;
  int depth = 0;  // of `#if` within what is left out; 0: none is
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

// The tokens of a text from byte `begin` to `end`, by bytes of the whole.
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
  // The body of a macro is rewritten as what it becomes where it is used.
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

  // What nvcc defines for code of the device: headers of others than the solution must not see it.
  static void rename_macros(const Code& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code.is_word(i, "__CUDA_ARCH__")) code.replace(i, "KBENCH_EMULATED_ARCH");
      if (code.is_word(i, "__CUDACC__")) code.replace(i, "KBENCH_EMULATED_CUDACC");
    }
  }

  // `static inline [[noreturn]] void f()`: an attribute in the middle says nothing to older
  // compilers, and is an error to g++ from 12 on.
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

}  // namespace kbench
