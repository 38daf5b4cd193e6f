// The real Definitions: how many compile, and whether docs/references.md tells the truth about it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
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

// The lines that kbench-torch --compile prints for all Definitions of a folder.
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

// "no FILE:LINE: message" → "| <set>: <name> | LINE | message |", as the page has it.
std::string row(const std::string& set, const std::string& line) {
  const std::size_t colon = line.find(':');
  const std::size_t second = line.find(':', colon + 1);
  const fs::path file = line.substr(3, colon - 3);
  std::string message(trim(line.substr(second + 1)));
  for (std::size_t at = 0; (at = message.find('|', at)) != std::string::npos; at += 2) {
    message.insert(at, "\\");
  }
  return "| " + set + ": " + file.stem().string() + " | " +
         line.substr(colon + 1, second - colon - 1) + " | " + message + " |";
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

TEST_F(Definitions, TheTraceSetsReferencesCompile) {
  const auto lines = compile_all(outside() / "traceset/definitions");
  int good = 0;
  for (const std::string& line : lines) good += line.rfind("ok ", 0) == 0;
  EXPECT_EQ(lines.size(), 85u);
  EXPECT_GE(good, 65);
}

TEST_F(Definitions, TheSmallSetsReferencesCompile) {
  for (const std::string& line : compile_all(outside() / "small/definitions")) {
    EXPECT_EQ(line.substr(0, 3), "ok ") << line;
  }
}

TEST_F(Definitions, ThePageTellsTheTruth) {
  const std::string page = read_file(fs::path(KBENCH_SOURCE_DIR) / "docs/references.md");
  std::set<std::string> said, found;
  const std::size_t table = page.find("| definition | line | message |");
  ASSERT_NE(table, std::string::npos) << "run tools/list_references";
  for (const std::string_view line : split(std::string_view(page).substr(table), '\n')) {
    if (line.find(": ") != std::string_view::npos && line.substr(0, 2) == "| ") {
      said.emplace(line);
    }
  }
  for (const std::string set : {"traceset", "small", "more_definitions"}) {
    for (const std::string& line : compile_all(outside() / set)) {
      const bool counts = line.rfind("no ", 0) == 0 &&
                          line.find("without a function run") == std::string::npos &&
                          line.find("cannot be read") == std::string::npos;
      if (counts) found.insert(row(set, line));
    }
  }
  EXPECT_EQ(said, found) << "run tools/list_references";
}

}  // namespace
}  // namespace kbench
