#include "import/json_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "schema/place.hpp"
#include "schema/read.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

template <class Record>
const Record* find_named(const std::vector<Record>& records, std::string_view name) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const Record& record) { return record.name == name; });
  return found == records.end() ? nullptr : &*found;
}

// Appends what was found in one document to the notes of its file.
void keep_notes(const Document& document, Diagnostics notes, Imported& out) {
  ForeignFile& file = out.files[document.file];
  if (!file.wanted) return;
  if (notes.errors() > 0) ++out.left_out;
  if (document.line > 0) {
    append_at_line(file.notes, notes, document.line);
  } else {
    file.notes.append(std::move(notes));
  }
}

// Extends `pointer` by the way from `value` to what stands at byte `begin`.
void find_way(const json::Value& value, std::uint32_t begin, std::string& pointer) {
  const auto holds = [begin](const json::Value& one) {
    return one.begin <= begin && begin < one.end;
  };
  for (const json::Member& member : value.members) {
    if (!holds(member.value)) continue;
    pointer += "/" + pointer_step(member.key);
    return find_way(member.value, begin, pointer);
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (!holds(value.items[i])) continue;
    pointer += fmt::format("/{}", i);
    return find_way(value.items[i], begin, pointer);
  }
}

Where place_of(const Document& document, const json::Value& at) {
  std::string pointer;
  find_way(document.value, at.begin, pointer);
  return locate(*document.source, at.begin, std::move(pointer));
}

// Parses files into documents; broken ones are reported and left out.
class Splitter {
 public:
  Splitter(Imported& out, json::Memory& memory) : out_(out), memory_(memory) {}

  std::vector<Document> split_all() {
    for (std::size_t i = 0; i < out_.files.size(); ++i) {
      const auto& source = out_.files[i].source;
      if (source->path.ends_with(".jsonl")) {
        split_lines(i, source);
      } else {
        add(i, 0, source);
      }
    }
    return std::move(documents_);
  }

 private:
  void split_lines(std::size_t file, const std::shared_ptr<const Source>& source) {
    Diagnostics form;
    if (!check_lines_form(*source, form)) {
      keep_notes({file, 0, source, {}, ForeignKind::none, true}, std::move(form), out_);
      return;
    }
    int number = 0;
    for (const std::string_view line : split(source->text, '\n')) {
      ++number;
      if (trim(line).empty()) continue;
      add(file, number, std::make_shared<const Source>(Source{source->path, std::string(line)}));
    }
  }

  void add(std::size_t file, int line, std::shared_ptr<const Source> source) {
    Diagnostics problems;
    Document document{
        file, line, std::move(source), {}, ForeignKind::none, out_.files[file].wanted};
    document.value =
        json::parse(*document.source, 0, document.source->text.size(), memory_, problems);
    const bool broken = problems.errors() > 0;
    keep_notes(document, std::move(problems), out_);
    if (broken) return;
    if (document.value.kind != json::Kind::array) return documents_.push_back(std::move(document));
    for (const json::Value& item : document.value.items) {
      documents_.push_back(document);
      documents_.back().value = item;
    }
  }

  Imported& out_;
  json::Memory& memory_;
  std::vector<Document> documents_;
};

using Edit = json::Value (*)(const Survey&, const RecordDraft&);

// Edits documents and reads the outcome.
class Converter {
 public:
  Converter(Survey& survey, json::Memory& memory, Imported& out)
      : survey_(survey), memory_(memory), out_(out) {}

  // Hands what becomes of each document of a kind to `take`; what is wrong with one is reported.
  template <class Record, class Take>
  void convert_all(ForeignKind kind, Edit edit, Take take) {
    for (const Document& document : survey_.documents) {
      if (document.kind != kind) continue;
      Diagnostics notes;
      auto record = convert<Record>(document, edit, notes);
      keep_notes(document, std::move(notes), out_);
      if (record) take(document, std::move(*record));
    }
  }

 private:
  template <class Record>
  std::optional<Record> convert(const Document& document, Edit edit, Diagnostics& notes) {
    const RecordDraft draft{document, json::Editor(memory_), notes};
    const json::Value value = edit(survey_, draft);
    const ReadOptions options{false, fs::path(document.source->path).parent_path(), true};
    auto record = read<Record>(*document.source, value, options, notes);
    return notes.errors() > 0 ? std::nullopt : std::move(record);
  }

  Survey& survey_;
  json::Memory& memory_;
  Imported& out_;
};

template <class Record>
void keep(const Document& document, Record record, std::vector<Found<Record>>& records) {
  if (document.wanted) records.push_back({std::move(record), document.file, document.line});
}

void tell_kinds(Survey& survey, const JsonFormat& format, Imported& out) {
  for (Document& document : survey.documents) {
    Diagnostics notes;
    document.kind = format.kind(document, notes);
    if (document.kind == ForeignKind::none) {
      ++out.unknown;
      notes.error(locate(*document.source, document.value.begin),
                  "is no definition, workload or solution of this format: it is left out",
                  "docs/import.md says which keys each of them has");
    }
    keep_notes(document, std::move(notes), out);
  }
}

}  // namespace

const Definition* KnownRecords::definition(std::string_view name) const {
  return find_named(definitions, name);
}

const Solution* KnownRecords::solution(std::string_view name) const {
  return find_named(solutions, name);
}

const Definition* find_definition(const Imported& imported, const KnownRecords& known,
                                  std::string_view name) {
  for (const Found<Definition>& one : imported.definitions)
    if (one.record.name == name) return &one.record;
  return known.definition(name);
}

std::string Document::folder() const { return fs::path(source->path).parent_path().string(); }

void RecordDraft::error(const json::Value& at, std::string message, std::string hint) const {
  notes.error(place_of(document, at), std::move(message), std::move(hint));
}

void RecordDraft::warning(const json::Value& at, std::string message, std::string hint) const {
  notes.warning(place_of(document, at), std::move(message), std::move(hint));
}

void RecordDraft::info(const json::Value& at, std::string message, std::string hint) const {
  notes.info(place_of(document, at), std::move(message), std::move(hint));
}

const Definition* Survey::definition(std::string_view name) const {
  const auto found = definitions.find(name);
  return found == definitions.end() ? nullptr : &found->second;
}

const Document* Survey::definition_beside(const Document& document) const {
  const std::string folder = document.folder();
  const auto found =
      std::find_if(documents.begin(), documents.end(), [&](const Document& candidate) {
        return candidate.kind == ForeignKind::definition && candidate.folder() == folder;
      });
  return found == documents.end() ? nullptr : &*found;
}

Imported read_json_records(std::vector<ForeignFile> files, const JsonFormat& format,
                           const KnownRecords& known) {
  Imported out;
  out.files = std::move(files);
  json::Memory memory;
  Survey survey{Splitter(out, memory).split_all(), {}};
  for (const Definition& definition : known.definitions)
    survey.definitions.emplace(definition.name, definition);
  out.readable = survey.documents.size();
  tell_kinds(survey, format, out);
  Converter converter(survey, memory, out);
  converter.convert_all<Definition>(ForeignKind::definition, format.definition,
                                    [&](const Document& document, Definition definition) {
                                      survey.definitions.insert_or_assign(definition.name,
                                                                          definition);
                                      keep(document, std::move(definition), out.definitions);
                                    });
  converter.convert_all<Solution>(ForeignKind::solution, format.solution,
                                  [&](const Document& document, Solution solution) {
                                    keep(document, std::move(solution), out.solutions);
                                  });
  converter.convert_all<Trace>(
      ForeignKind::trace, format.trace,
      [&](const Document& document, Trace trace) { keep(document, std::move(trace), out.traces); });
  return out;
}

}  // namespace kbench
