// Real Definitions: how many compile, and whether docs/references.md tells the truth about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

fs::path outside() {
  const char* given = std::getenv("KBENCH_OUTSIDE");
  const fs::path root =
      given != nullptr ? fs::path(given) : fs::path(KBENCH_SOURCE_DIR) / "../shared/outside";
  return root / "flashinfer-bench";
}

// Returns the lines that kbench-torch --compile prints for all Definitions of a folder.
std::vector<std::string> compile_all(const fs::path& folder) {
  std::string command = std::string(KBENCH_BIN_DIR) + "/kbench-torch --compile";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") command += " '" + entry.path().string() + "'";
  }
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  ::pclose(pipe);
  std::vector<std::string> lines;
  for (const std::string_view line : split(output, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

class Definitions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(outside())) GTEST_SKIP() << "no KBENCH_OUTSIDE/flashinfer-bench";
    if (!fs::exists(fs::path(KBENCH_BIN_DIR) / "kbench-torch")) {
      GTEST_SKIP() << "kbench-torch is not built";
    }
  }
};

TEST_F(Definitions, ThePageTellsTheTruth) {
  const std::string page = read_file(fs::path(KBENCH_SOURCE_DIR) / "docs/references.md");
  const std::pair<const char*, fs::path> sets[] = {
      {"the trace set", outside() / "traceset/definitions"},
      {"the small set", outside() / "small/definitions"},
      {"more definitions", outside() / "more_definitions"},
      {"kbench's own", fs::path(KBENCH_SOURCE_DIR) / "definitions"}};
  for (const auto& [name, folder] : sets) {
    const auto lines = compile_all(folder);
    const auto good = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.rfind("ok ", 0) == 0;
    });
    std::string row = "| ";
    row.append(name).append(", ").append(std::to_string(lines.size())).append(" | ");
    EXPECT_NE(page.find(row + std::to_string(good) + " |"), std::string::npos)
        << row << good << ": run tools/list_references";
  }
}

TEST_F(Definitions, OursCompile) {
  for (const std::string& line : compile_all(fs::path(KBENCH_SOURCE_DIR) / "definitions"))
    EXPECT_EQ(line.substr(0, 3), "ok ") << line;
}

}  // namespace
}  // namespace kbench
