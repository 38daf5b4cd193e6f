// A source of CUDA C++ that --emulate rewrites, and the inline PTX in it.
#include <algorithm>

#include "emulate/ptx/text.hpp"
#include "emulate/translate.hpp"
#include "support.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Source source{"kernel.cu", fuzz::Input(data, size).rest()};
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const TorchWords torch : {TorchWords::keep, TorchWords::pose}) {
    Diagnostics problems;
    const std::string translated = translate_cuda(source, torch, problems);
    fuzz::check_reports(problems, source);
    if (problems.empty()) FUZZ_CHECK(lines(translated) == lines(source.text));
  }
  parse_ptx(source.text);
  return 0;
}
