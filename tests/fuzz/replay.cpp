// Main program of a fuzz target where there is no libFuzzer: `fuzz_NAME FILE|FOLDER…` feeds it
// these files, and every beginning of a short one.
#include <filesystem>
#include <iostream>
#include <vector>

#include "base/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
constexpr std::size_t short_file = 4096;

void feed(const std::string& text) {
  // A copy has no byte behind its end, so that sanitizers see who reads there.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

int feed_file(const fs::path& path) {
  const std::string text = kbench::read_file(path);
  feed(text);
  for (std::size_t size = 0; text.size() <= short_file && size < text.size(); ++size)
    feed(text.substr(0, size));
  return 1;
}

int feed_all(const fs::path& path) {
  if (!fs::is_directory(path)) return feed_file(path);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files += feed_file(entry.path());
  }
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  int files = 0;
  for (int i = 1; i < count; ++i) files += feed_all(arguments[i]);
  std::cout << files << " files\n";
  return files > 0 ? 0 : 1;
}
