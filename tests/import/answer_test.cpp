#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/file.hpp"
#include "cli/import/imported.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

class ImporterAnswer : public testing::Test {
 protected:
  ImporterAnswer() {
    const auto source = std::make_shared<const Source>(Source{
        "d.json", "{\"name\": \"d\",\n \"type\": 5,\n \"inputs\": {\"a\": {\"dtype\": \"x\"}}}"});
    imported_.files.push_back({source, true});
    Diagnostics none;
    const auto value = json::parse(*source, 0, source->text.size(), *imported_.memory, none);
    imported_.documents.push_back({0, 0, source, value, ""});
  }

  void read(const std::string& text) {
    const Source source{"answer", text};
    json::Memory memory;
    Diagnostics none;
    read_importer_answer(json::parse(source, 0, text.size(), memory, none), imported_);
  }
  void read_record(const std::string& kind, const std::string& record, const std::string& more) {
    read(fmt::format(R"({{"records": [{{"kind": "{}", "document": 0, "record": {}{}}}]}})", kind,
                     json_quote(record), more));
  }
  const std::vector<Diagnostic>& notes() const { return imported_.files[0].notes.items(); }

  Imported imported_;
};

TEST_F(ImporterAnswer, WhatIsWrongWithARecordStandsInTheUsersFile) {
  read_record("definition",
              R"({"name": "d", "op_type": 5, "axes": {}, "inputs": {"a": {"dtype": "x"}},
                  "outputs": {}, "reference": "def run(a): return a"})",
              R"(, "moved": {"/op_type": "/type"}, "broken": ["/inputs/a/dtype"])");
  EXPECT_EQ(imported_.left_out, 1U);
  ASSERT_FALSE(notes().empty());
  for (const Diagnostic& note : notes())
    EXPECT_EQ(note.message.find("\"x\""), std::string::npos) << note.message;
  EXPECT_EQ(notes()[0].where.line, 2);
  EXPECT_EQ(notes()[0].where.column, 10);
}

TEST_F(ImporterAnswer, PlacesOfNotesAreThoseOfDocumentsAndFiles) {
  read(R"({"notes": [{"level": "warning", "document": 0, "pointer": "/inputs/a", "message": "m"},
                     {"level": "info", "file": 0, "offset": 14, "message": "m"},
                     {"level": "info", "file": 0, "offset": 1000000, "message": "m"},
                     {"level": "error", "file": 0, "offset": -1, "message": "m"}]})");
  ASSERT_EQ(notes().size(), 4U);
  EXPECT_EQ(notes()[0].where.line, 3);
  EXPECT_EQ(notes()[0].where.column, 18);
  EXPECT_EQ(notes()[1].where.line, 2);
  EXPECT_EQ(notes()[3].where.line, 0);
}

TEST_F(ImporterAnswer, NonsenseIsRefused) {
  for (const char* text : {"[]", R"({"notes": [{"file": 1}]})", R"({"notes": [{"document": -1}]})",
                           R"({"notes": [3]})", R"({"records": [{"kind": "file", "file": 0}]})",
                           R"({"records": [{"kind": "trace"}]})"})
    EXPECT_THROW(read(text), std::runtime_error) << text;
  read_record("trace", "{", "");
  EXPECT_EQ(imported_.left_out, 1U);
}

constexpr const char* made_trace =
    R"({"definition": "d", "workload": {"axes": {}, "uuid": "../u", "inputs": {"a": {
        "type": "safetensors", "path": "PATH", "tensor_key": "a"}}}})";

TEST_F(ImporterAnswer, AFileThatWasMadeIsCalledAsItsWorkloadAndNothingElse) {
  imported_.made = std::make_shared<WorkFolder>(temporary_folder(), "kbench-import-");
  const auto file = imported_.made->path() / "0.safetensors";
  write_file(file, "");
  std::string trace = made_trace;
  trace.replace(trace.find("PATH"), 4, file.string());
  read_record("trace", trace, "");
  EXPECT_EQ(imported_.left_out, 1U);
  EXPECT_TRUE(imported_.traces.empty());
  trace.replace(trace.find("../u"), 4, "u");
  read_record("trace", trace, "");
  ASSERT_EQ(imported_.traces.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(imported_.made->path() / "u.safetensors"));
}

TEST_F(ImporterAnswer, AWorkloadThatWasMadeGoesWithItsDefinition) {
  read_record("trace", made_trace, R"(, "made_of": "")");
  EXPECT_TRUE(imported_.traces.empty());
  EXPECT_EQ(imported_.left_out, 0U);
}

}  // namespace
}  // namespace kbench
