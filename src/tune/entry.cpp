#include "tune/entry.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"
#include "tune/key.hpp"

namespace kbench {
namespace {

std::string entry_digest(TunedEntry entry) {
  entry.digest.clear();
  return sha256_hex(to_json(entry, Dump::full));
}

}  // namespace

TunedEntry sealed(TunedEntry entry) {
  entry.key = short_key(entry.parts);
  entry.digest = entry_digest(entry);
  return entry;
}

std::string entry_text(const TunedEntry& entry) { return to_json(entry, Dump::full, 1) + "\n"; }

std::string flaw_of(const TunedEntry& entry) {
  const std::string key = short_key(entry.parts);
  if (entry.key != key)
    return fmt::format("its key is {}, and that of its parts {}", entry.key, key);
  return entry.digest == entry_digest(entry) ? "" : "it is not as it was written: another digest";
}

std::optional<TunedEntry> read_entry(const Source& source, std::string& why) {
  Diagnostics problems;
  ReadOptions options;
  options.strict = true;  // the digest is of what is read, so nothing may be passed over
  const auto entry = read_text<TunedEntry>(source, options, problems);
  why = entry ? flaw_of(*entry) : "";
  for (const Diagnostic& one : problems.items()) {
    if (one.level == Level::error && why.empty())
      why = fmt::format("line {}: {}", one.where.line, one.message);
  }
  if (!entry && why.empty()) why = "it is no entry";
  return why.empty() ? entry : std::nullopt;
}

}  // namespace kbench
