#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/digest.hpp"
#include "cli/import/imported.hpp"
#include "problem/data/sample_workload.hpp"
#include "schema/lax.hpp"
#include "schema/place.hpp"
#include "schema/read.hpp"
#include "schema/scan.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using json::Value;

[[noreturn]] void fail_to_read() {
  throw std::runtime_error("the importer's answer cannot be read");
}

const Value* member_of(const Value& object, std::string_view key) {
  return object.is_object() ? object.find(key) : nullptr;
}

std::string text_in(const Value& object, std::string_view key) {
  const Value* const value = member_of(object, key);
  return value != nullptr && value->is_string() ? std::string(value->text) : "";
}

bool truth_in(const Value& object, std::string_view key) {
  const Value* const value = member_of(object, key);
  return value != nullptr && value->truth;
}

// Returns nothing where it says none; fails for an index that is too large.
std::optional<std::size_t> index_in(const Value& object, std::string_view key, std::size_t count) {
  const Value* const value = member_of(object, key);
  if (value == nullptr) return std::nullopt;
  const auto index = static_cast<std::size_t>(lax_integer(*value).value_or(-1));
  if (index >= count) fail_to_read();
  return index;
}

std::size_t number_in(const Value& object, std::string_view key) {
  return index_in(object, key, std::size_t{1} << 40).value_or(0);
}

std::span<const Value> list_in(const Value& object, std::string_view key) {
  const Value* const value = member_of(object, key);
  return value == nullptr ? std::span<const Value>() : value->items;
}

// Gives the values of a record the places that they were made of in the user's document.
class Placing {
 public:
  // `said` has "moved", places in the record and in the document, and "broken", places of values
  // whose mistakes are reported.
  Placing(const Value& said, const Value& document, json::Memory& memory)
      : document_(document), memory_(memory) {
    if (const Value* const moved = member_of(said, "moved"))
      for (const json::Member& one : moved->members) moved_[one.key] = one.value.text;
    for (const Value& one : list_in(said, "broken")) broken_.insert(one.text);
  }

  Value place(const Value& value) const { return at(value, document_, ""); }

 private:
  Value at(Value value, const Value& origin, const std::string& pointer) const {
    const auto moved = moved_.find(pointer);
    const Value& there = moved == moved_.end() ? origin : *follow(document_, moved->second).value;
    value.begin = there.begin;
    value.end = there.end;
    if (broken_.contains(pointer)) value.kind = json::Kind::broken;
    value.members = members(value, there, pointer);
    value.items = items(value, there, pointer);
    return value;
  }

  std::span<const json::Member> members(const Value& value, const Value& there,
                                        const std::string& pointer) const {
    std::unordered_map<std::string_view, const json::Member*> origins;
    for (const json::Member& one : there.members) origins[one.key] = &one;
    std::vector<json::Member> all;
    for (const json::Member& one : value.members) {
      const auto origin = origins.find(one.key);
      const bool is_new = origin == origins.end();
      all.push_back({one.key, is_new ? there.begin : origin->second->key_begin,
                     at(one.value, is_new ? there : origin->second->value,
                        pointer + "/" + pointer_step(one.key))});
    }
    return keep(all);
  }

  std::span<const Value> items(const Value& value, const Value& there,
                               const std::string& pointer) const {
    std::vector<Value> all;
    for (std::size_t i = 0; i < value.items.size(); ++i)
      all.push_back(at(value.items[i], i < there.items.size() ? there.items[i] : there,
                       fmt::format("{}/{}", pointer, i)));
    return keep(all);
  }

  template <class T>
  std::span<const T> keep(const std::vector<T>& list) const {
    if (list.empty()) return {};
    T* const kept = static_cast<T*>(memory_.allocate(list.size() * sizeof(T), alignof(T)));
    std::uninitialized_copy(list.begin(), list.end(), kept);
    return {kept, list.size()};
  }

  const Value& document_;
  json::Memory& memory_;
  std::map<std::string_view, std::string_view, std::less<>> moved_;
  std::set<std::string_view, std::less<>> broken_;
};

// Makes a uuid of RFC 9562's version 8, a digest of our own choice. It depends only on a
// Definition, and on the text that tells its workloads apart.
std::string made_uuid(const Definition& definition, const std::string& workload) {
  const std::string digest =
      sha256_hex("kbench import 1\n" + to_json(definition, Dump::full) + workload);
  return fmt::format("{}-{}-8{}-a{}-{}", digest.substr(0, 8), digest.substr(8, 4),
                     digest.substr(12, 3), digest.substr(15, 3), digest.substr(18, 12));
}

class AnswerReader {
 public:
  explicit AnswerReader(Imported& imported) : imported_(imported) {}

  void read(const Value& answer) {
    if (!answer.is_object()) fail_to_read();
    imported_.readable += number_in(answer, "readable");
    imported_.left_out += number_in(answer, "left_out");
    imported_.unknown += number_in(answer, "unknown");
    for (const Value& one : list_in(answer, "notes")) add_note(one);
    for (const Value& one : list_in(answer, "records")) add_record(one);
  }

 private:
  // Returns the document that something is of, nullptr where it is of a file.
  const ForeignDocument* document_of(const Value& said) const {
    const auto index = index_in(said, "document", imported_.documents.size());
    return index ? &imported_.documents[*index] : nullptr;
  }

  std::size_t file_of(const Value& said, const ForeignDocument* document) const {
    if (document != nullptr) return document->file;
    const auto index = index_in(said, "file", imported_.files.size());
    if (!index) fail_to_read();
    return *index;
  }

  void add_note(const Value& said) {
    const ForeignDocument* const document = document_of(said);
    const std::string level = text_in(said, "level");
    Diagnostics one;
    one.add({level == "info"      ? Level::info
             : level == "warning" ? Level::warning
                                  : Level::error,
             document == nullptr ? place_in_file(said) : place_in_document(said, *document),
             text_in(said, "message"), text_in(said, "hint")});
    keep(file_of(said, document), document, std::move(one));
  }

  void keep(std::size_t file, const ForeignDocument* document, Diagnostics notes) {
    Diagnostics& all = imported_.files[file].notes;
    if (document != nullptr && document->line > 0) {
      append_at_line(all, notes, document->line);
    } else {
      all.append(std::move(notes));
    }
  }

  static Where place_in_document(const Value& said, const ForeignDocument& document) {
    const std::string pointer = text_in(said, "pointer");
    const Value& value = *follow(document.value, pointer).value;
    const std::size_t index = number_in(said, "index");
    const bool is_inside = index > 0 && value.is_string() && index <= value.text.size();
    return locate(*document.source,
                  is_inside ? json::string_offset(*document.source, value, index) : value.begin,
                  pointer);
  }

  Where place_in_file(const Value& said) const {
    const Source& source = *imported_.files[file_of(said, nullptr)].source;
    const Value* const offset = member_of(said, "offset");
    const std::int64_t at = offset == nullptr ? -1 : lax_integer(*offset).value_or(-1);
    if (at < 0) return {source.path};
    return locate(source, std::min(static_cast<std::size_t>(at), source.text.size()));
  }

  void add_record(const Value& said) {
    const std::string kind = text_in(said, "kind");
    if (kind == "definition") {
      add(said, imported_.definitions);
    } else if (kind == "solution") {
      add(said, imported_.solutions);
    } else if (kind == "trace") {
      add(said, imported_.traces);
    } else {
      fail_to_read();
    }
  }

  template <class Record>
  void add(const Value& said, std::vector<Found<Record>>& records) {
    const ForeignDocument* const document = document_of(said);
    const std::size_t file = file_of(said, document);
    if (!imported_.files[file].wanted) return;
    Diagnostics notes;
    std::optional<Record> record = read_record<Record>(said, file, document, notes);
    if constexpr (std::is_same_v<Record, Trace>)
      if (record && !complete(said, file, *record, notes)) return;
    const bool is_bad = notes.errors() > 0 || truth_in(said, "is_bad");
    keep(file, document, std::move(notes));
    if (is_bad || !record) {
      ++imported_.left_out;
    } else {
      records.push_back({std::move(*record), file, document == nullptr ? 0 : document->line});
    }
  }

  // Reads a record; problems stand where the user's document has them, nowhere in a file of Python.
  template <class Record>
  std::optional<Record> read_record(const Value& said, std::size_t file,
                                    const ForeignDocument* document, Diagnostics& notes) {
    const Source& source = *imported_.files[file].source;
    const Source own{source.path, text_in(said, "record")};
    json::Memory memory;
    Diagnostics problems;
    const Value value = json::parse(own, 0, own.text.size(), memory, problems);
    if (problems.errors() > 0) {
      notes.error({source.path}, "is left out: " + problems.items()[0].message);
      return std::nullopt;
    }
    const ReadOptions options{false, fs::path(source.path).parent_path(), true};
    const bool is_placed = document != nullptr && member_of(said, "moved") != nullptr;
    if (is_placed)
      return kbench::read<Record>(
          *document->source, Placing(said, document->value, memory).place(value), options, notes);
    std::optional<Record> record = kbench::read<Record>(own, value, options, problems);
    for (const Diagnostic& one : problems.items())
      if (one.level == Level::error)
        notes.error({source.path}, "is left out: " + one.message, one.hint);
    return record;
  }

  // The importer leaves this to the program: inputs that nobody made, the uuid of a workload that
  // was made, the name of its file of tensors. False where its definition was left out.
  bool complete(const Value& said, std::size_t file, Trace& trace, Diagnostics& notes) {
    const Value* const made_of = member_of(said, "made_of");
    if (made_of != nullptr) {
      const auto of = std::find_if(
          imported_.definitions.begin(), imported_.definitions.end(),
          [&](const Found<Definition>& one) { return one.record.name == trace.definition; });
      if (of == imported_.definitions.end()) return false;
      if (truth_in(said, "is_sampled")) {
        Workload whole = sample_workload(of->record, trace.workload.axes);
        for (auto& [name, input] : trace.workload.inputs) whole.inputs[name] = std::move(input);
        trace.workload = std::move(whole);
      }
      trace.workload.uuid = made_uuid(of->record, std::string(made_of->text));
    }
    name_made_files(file, trace.workload, notes);
    return true;
  }

  void name_made_files(std::size_t of, Workload& workload, Diagnostics& notes) {
    for (auto& [name, input] : workload.inputs) {
      auto* const stored = std::get_if<SafetensorsInput>(&input);
      if (stored == nullptr || !imported_.made) continue;
      const fs::path file = stored->path, folder = imported_.made->path();
      if (file.parent_path() != folder) continue;
      const fs::path named = folder / (workload.uuid + ".safetensors");
      if (named.parent_path() != folder)
        return notes.error(
            {imported_.files[of].source->path},
            fmt::format("the uuid \"{}\" cannot be the name of a file", workload.uuid));
      if (fs::exists(file)) fs::rename(file, named);
      stored->path = named;
    }
  }

  Imported& imported_;
};

}  // namespace

void read_importer_answer(const Value& answer, Imported& imported) {
  AnswerReader(imported).read(answer);
}

}  // namespace kbench
