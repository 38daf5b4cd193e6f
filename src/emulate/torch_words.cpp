// What the host's code asks of devices with binding torch: tensors of the CPU pose as CUDA's.
#include "base/words.hpp"
#include "emulate/code.hpp"

namespace kbench {
namespace {

struct Word {
  std::string_view cuda, cpu;
};

constexpr Word words[] = {{"is_cuda", "is_cpu"}, {"kCUDA", "kCPU"}};

bool names_device(std::string_view literal) {
  return literal == "\"cuda\"" || literal.starts_with("\"cuda:");
}

}  // namespace

void translate_torch_words(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const CppToken& token = code.tokens[i];
    if (token.kind == CppToken::Kind::literal && names_device(token.text))
      code.replace(i, "\"cpu\"");
    if (token.kind != CppToken::Kind::word) continue;
    for (const Word& word : words)
      if (token.text == word.cuda) code.replace(i, std::string(word.cpu));
    const bool is_member = i > 0 && (code.is(i - 1, ".") || code.is(i - 1, "->"));
    if (token.text == "cuda" && is_member && code.is(i + 1, "(")) code.replace(i, "cpu");
    // torch::cuda::is_available asks the LibTorch that runs, at::cuda::is_available does not.
    const bool is_torchs = token.text == "torch" && code.is(i + 1, "::") &&
                           code.is_word(i + 2, "cuda") && code.is(i + 3, "::");
    if (is_torchs) code.replace(i, "at");
    const bool is_type = i > 1 && code.is(i - 1, "::") && code.is_word(i - 2, "DeviceType");
    if (token.text == "CUDA" && is_type) code.replace(i, "CPU");
  }
}

}  // namespace kbench
