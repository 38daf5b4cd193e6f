// Foreign JSON → records: what formats made of JSON share. A format edits each document into
// kbench's schema; the record reader reads the outcome, so that whatever is left of the foreign
// schema is reported where it stands.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "import/imported.hpp"
#include "import/json_edit.hpp"

namespace kbench {

enum class ForeignKind {
  none,     // no record of the format
  ignored,  // known, and reported by whoever said so
  definition,
  solution,
  trace,  // a bare workload, too
};

// An object of a foreign file: the file, an element of its array, a line of a .jsonl file.
struct Document {
  std::size_t file = 0;
  int line = 0;                          // of a .jsonl file, which is all that `source` holds then
  std::shared_ptr<const Source> source;  // what places in `value` refer to
  json::Value value;
  ForeignKind kind = ForeignKind::none;
  bool wanted = true;

  // The folder of its file.
  std::string folder() const;
};

// A document on its way: what an edit needs besides the value.
struct RecordDraft {
  const Document& document;
  json::Editor edit;
  Diagnostics& notes;  // places as in document.source

  void error(const json::Value& at, std::string message, std::string hint = "") const;
  void warning(const json::Value& at, std::string message, std::string hint = "") const;
  void info(const json::Value& at, std::string message, std::string hint = "") const;
};

// All documents, for edits that need to know more than their own.
struct Survey {
  std::vector<Document> documents;
  std::map<std::string, Definition, std::less<>> definitions;  // carried over, and known ones

  const Definition* definition(std::string_view name) const;
  // The definition's document in the folder of `document`; nullptr where there is none.
  const Document* definition_beside(const Document& document) const;
};

struct JsonFormat {
  ForeignKind (*kind)(const Document& document, Diagnostics& notes);
  json::Value (*definition)(const Survey& survey, const RecordDraft& draft);
  json::Value (*solution)(const Survey& survey, const RecordDraft& draft);
  json::Value (*trace)(const Survey& survey, const RecordDraft& draft);
};

Imported read_json_records(std::vector<ForeignFile> files, const JsonFormat& format,
                           const KnownRecords& known);

}  // namespace kbench
