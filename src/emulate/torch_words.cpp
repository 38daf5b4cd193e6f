// What the host's code asks of devices with binding torch: tensors of the CPU pose as CUDA's.
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

bool is_member(const Code& code, std::size_t i) {
  return i > 0 && (code.is(i - 1, ".") || code.is(i - 1, "->"));
}

// torch::cuda::is_available asks the LibTorch that runs, at::cuda::is_available does not.
bool is_torch_of_cuda(const Code& code, std::size_t i) {
  return code.is_word(i, "torch") && code.is(i + 1, "::") && code.is_word(i + 2, "cuda") &&
         code.is(i + 3, "::");
}

bool is_type_of_cuda(const Code& code, std::size_t i) {
  return i > 1 && code.is_word(i, "CUDA") && code.is(i - 1, "::") &&
         code.is_word(i - 2, "DeviceType");
}

// The word that stands in the place of the one at `i`; "" where it stays.
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
