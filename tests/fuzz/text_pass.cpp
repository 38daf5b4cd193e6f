// The text pass of kbench-torch (src/reference/torch/text/reference_text.hpp): LibTorch has no part
// in it.
#include "reference/torch/text/reference_text.hpp"
#include "support.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).rest();
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  const auto read = read_reference(text);
  if (const auto* refused = std::get_if<UnsupportedText>(&read)) {
    FUZZ_CHECK(!refused->construct.empty() && refused->line >= 0 && refused->line <= lines);
    return 0;
  }
  // The body of a lambda begins with a line break of our own, before its line.
  for (const FunctionText& function : std::get<ReferenceText>(read).functions)
    FUZZ_CHECK(function.line >= 1 && function.line <= function.body_line + 1 &&
               function.body_line <= lines);
  return 0;
}
