// Files of others in all three formats: what is carried over is valid, and so many are.
#include <gtest/gtest.h>

#include "cli/import/import.hpp"
#include "support/outside.hpp"
#include "support/temp_folder.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

struct Corpus {
  const char* folder;
  const char* format;
  std::size_t files;
  std::size_t definitions;
  std::size_t left_out;
};

constexpr Corpus corpora[] = {
    {"sol_execbench", "sol-execbench", 5, 5, 0},
    {"flashinfer_fi_trace_out", "fi-trace", 48, 38, 10},
    {"flashinfer_fi_trace_out_sglang", "fi-trace", 1, 0, 1},
    {"fib_2025_legacy", "flashinfer-2025", 12, 12, 0},
};

TEST(Corpus, WhatIsCarriedOverIsValid) {
  KBENCH_NEEDS_OUTSIDE();
  for (const Corpus& corpus : corpora) {
    SCOPED_TRACE(corpus.folder);
    const TempFolder root;
    const ImportReport report =
        import_files(outside_folder() / "more_definitions" / corpus.folder,
                     *find_import_format(corpus.format), root.path(), false);
    EXPECT_EQ(report.notes.files.size(), corpus.files);
    EXPECT_EQ(report.written, (std::array<std::size_t, 4>{corpus.definitions, 0, 0, 0}));
    EXPECT_EQ(report.left_out, corpus.left_out);
    ValidationReport found;
    validate_trace_set(root.path(), {}, found);
    EXPECT_EQ(found.files.size(), corpus.definitions);
    for (const FileReport& file : found.files) EXPECT_EQ(file.messages.errors(), 0U) << file.path;
  }
}

// Everything that is left out has an error with a line.
TEST(Corpus, WhatIsLeftOutIsSaidWithItsPlace) {
  KBENCH_NEEDS_OUTSIDE();
  for (const Corpus& corpus : corpora) {
    const TempFolder root;
    const ImportReport report = import_files(outside_folder() / "more_definitions" / corpus.folder,
                                             *find_import_format(corpus.format), root.path(), true);
    std::size_t bad = 0;
    for (const FileReport& file : report.notes.files) {
      bad += file.messages.errors() > 0;
      for (const Diagnostic& note : file.messages.items()) {
        EXPECT_GT(note.where.line, 0) << file.path << ": " << note.message;
        EXPECT_TRUE(note.level != Level::error || !note.hint.empty()) << note.message;
      }
    }
    EXPECT_EQ(bad, corpus.left_out);
  }
}

}  // namespace
}  // namespace kbench
