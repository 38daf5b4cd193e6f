#include "schema/read_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/check.hpp"
#include "schema/place.hpp"

namespace kbench {

std::string pointer(const JsonPath* path) {
  if (path == nullptr) return "";
  const std::string last = path->index >= 0 ? std::to_string(path->index) : pointer_step(path->key);
  return pointer(path->parent) + "/" + last;
}

void ReadContext::note_null(const json::Value& value, const JsonPath* path, std::string_view name) {
  if (!options.strict) return;
  const JsonPath place{path, name};
  warning(value.begin, pointer(&place), "null is read as if the key were left out",
          "FlashInfer-Bench's reader refuses it: leave the key out");
}

std::string found(const json::Value& value) {
  using json::Kind;
  if (value.kind == Kind::boolean) return value.truth ? "true" : "false";
  if (value.kind == Kind::integer || value.kind == Kind::number) return std::string(value.text);
  if (value.kind == Kind::string && value.text.size() <= 40)
    return fmt::format("\"{}\"", value.text);
  return std::string(json::kind_name(value.kind));
}

void ReadContext::error(std::size_t offset, std::string pointer, std::string message,
                        std::string hint) {
  if (full()) {
    ++left_out;
    return;
  }
  ++said;
  out.error(locate(source, offset, std::move(pointer)), std::move(message), std::move(hint));
}

void ReadContext::warning(std::size_t offset, std::string pointer, std::string message,
                          std::string hint) {
  if (full()) return;
  ++said;
  out.warning(locate(source, offset, std::move(pointer)), std::move(message), std::move(hint));
}

void ReadContext::finish() {
  if (left_out > 0) out.error({source.path}, fmt::format("{} more errors", left_out));
}

bool ReadContext::fail(const json::Value& value, const JsonPath* path, std::string message,
                       std::string hint) {
  if (hint.empty()) hint = doc.substr(0, doc.size() - (doc.ends_with('.') ? 1 : 0));
  if (value.kind != json::Kind::broken)
    error(value.begin, pointer(path), std::move(message), std::move(hint));
  return false;
}

bool ReadContext::expected(const json::Value& value, const JsonPath* path, std::string_view what) {
  return fail(value, path, fmt::format("expected {}, found {}", what, found(value)));
}

bool ReadContext::check_name(const json::Value& value, std::string_view name, const JsonPath* path,
                             Rule rule) {
  if (name.empty()) return fail(value, path, "a name needs at least one character");
  if (has_controls(name)) return fail(value, path, "a name has no control characters");
  return rule != Rule::name || name.size() <= longest_name ||
         fail(value, path, fmt::format("a name has at most {} bytes", longest_name));
}

bool ReadContext::check_object(const json::Value& value, const JsonPath* path) {
  constexpr std::size_t most = 10'000;
  if (!value.is_object()) return expected(value, path, "an object");
  return value.members.size() <= most || fail(value, path, fmt::format("more than {} names", most));
}

namespace {

bool report_no_file(ReadContext& context, const json::Value& path, const JsonPath* parent) {
  namespace fs = std::filesystem;
  std::vector<std::string> beside;
  std::error_code error;
  const fs::path folder = fs::path(path.text).parent_path();
  for (const auto& entry : fs::directory_iterator(context.options.directory / folder, error))
    if (entry.is_regular_file(error)) beside.push_back(folder / entry.path().filename());
  const JsonPath field{parent, "path"};
  const std::string meant = did_you_mean(path.text, beside);
  context.fail(path, &field, fmt::format("there is no file \"{}\" beside the JSON", path.text),
               meant.empty() ? "put it there, or its text under \"content\"" : meant);
  return true;
}

}  // namespace

bool fill_source(ReadContext& context, const json::Value& value, const JsonPath* parent,
                 SourceFile& source) {
  const json::Value* path = value.find("path");
  if (context.options.directory.empty() || value.find("content") != nullptr || path == nullptr ||
      !path->is_string()) {
    return false;
  }
  SourceFile probe;
  probe.path = path->text;
  if (!check(probe).empty()) return false;
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file = fs::canonical(context.options.directory / path->text, error);
  if (error) return value.members.size() == 1 && report_no_file(context, *path, parent);
  const fs::path inside = file.lexically_relative(fs::canonical(context.options.directory, error));
  if (*inside.begin() == ".." || !fs::is_regular_file(file, error)) {
    const JsonPath path_path{parent, "path"};
    context.fail(*path, &path_path,
                 fmt::format("source file '{}' is no file below the solution", path->text),
                 "links may not lead elsewhere");
    return true;
  }
  source.content = read_file(file);
  return true;
}

namespace {

bool is_known(std::string_view key, std::span<const std::string> known) {
  return std::find(known.begin(), known.end(), key) != known.end();
}

// Finds a key of `value` that is no field and could be `name` misspelt: "type" for "op_type".
std::string misspelt(const json::Value& value, std::string_view name,
                     std::span<const std::string> known) {
  std::vector<std::string> strangers;
  for (const json::Member& member : value.members)
    if (!is_known(member.key, known)) strangers.emplace_back(member.key);
  for (const std::string& key : strangers) {
    if (key.size() >= 3 && (name.ends_with(key) || key.ends_with(name) || name.starts_with(key)))
      return key;
  }
  return nearest(name, strangers);
}

// Returns what an unknown key may be meant as, "" where nothing is near or that is there as well.
std::string meant_key(const json::Value& value, const json::Member& member,
                      std::span<const std::string> known) {
  std::string meant = nearest(member.key, known);
  return !meant.empty() && value.find(meant) != nullptr ? "" : meant;
}

void report_unknown_key(ReadContext& context, const json::Member& member, std::string pointer,
                        const std::string& meant, std::span<const std::string> known) {
  if (context.options.strict) {
    context.error(member.key_begin, std::move(pointer),
                  fmt::format("unknown key \"{}\"", member.key), did_you_mean(member.key, known));
    return;
  }
  context.warning(
      member.key_begin, std::move(pointer),
      fmt::format("unknown key \"{}\" is ignored", member.key),
      meant.empty() ? "keys are " + join(known, ", ") : fmt::format("did you mean \"{}\"?", meant));
}

}  // namespace

void report_missing(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::string_view name, std::span<const std::string> known) {
  const JsonPath field{path, name};
  const std::string candidate = misspelt(value, name, known);
  const auto meant = std::find_if(
      value.members.begin(), value.members.end(),
      [&](const json::Member& member) { return !candidate.empty() && member.key == candidate; });
  const std::string message = fmt::format("missing key \"{}\"", name);
  if (meant == value.members.end()) {
    context.fail(value, &field, message);
    return;
  }
  context.renamed.insert(meant->key_begin);
  context.error(meant->key_begin, pointer(&field), message,
                fmt::format("rename \"{}\" to \"{}\"", candidate, name));
}

void report_unknown(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::span<const std::string> known, bool all) {
  for (const json::Member& member : value.members) {
    if (member.key == "$schema" || is_known(member.key, known)) continue;
    const std::string meant = meant_key(value, member, known);
    const bool strict = context.options.strict;
    if (!strict && meant.empty() && !all && !context.options.warn_of_all) continue;
    if (context.full()) {
      context.left_out += strict ? 1 : 0;
    } else if (!context.renamed.contains(member.key_begin)) {
      const JsonPath field{path, member.key};
      report_unknown_key(context, member, pointer(&field), meant, known);
    }
  }
}

}  // namespace kbench
