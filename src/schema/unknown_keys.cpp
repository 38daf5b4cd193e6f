#include "schema/unknown_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace kbench {
namespace {

bool is_known(std::string_view key, std::span<const std::string> known) {
  return std::find(known.begin(), known.end(), key) != known.end();
}

// A key of `value` that is no field and could be a misspelling of `name`: "type" for "op_type".
std::string misspelt(const json::Value& value, std::string_view name,
                     std::span<const std::string> known) {
  std::vector<std::string> strangers;
  for (const json::Member& member : value.members) {
    if (!is_known(member.key, known)) strangers.emplace_back(member.key);
  }
  for (const std::string& key : strangers) {
    if (key.size() >= 3 && (name.ends_with(key) || key.ends_with(name) || name.starts_with(key)))
      return key;
  }
  return nearest(name, strangers);
}

// report_missing() has said what this key should be called.
bool is_renamed(const ReadContext& context, const json::Member& member) {
  const auto& items = context.out.items();
  const bool any = std::any_of(items.begin(), items.end(), [](const Diagnostic& said) {
    return said.message.starts_with("missing key");
  });
  if (!any) return false;
  const Where key = locate(context.source, member.key_begin);
  return std::any_of(items.begin(), items.end(), [&](const Diagnostic& said) {
    return said.message.starts_with("missing key") && said.where.line == key.line &&
           said.where.column == key.column;
  });
}

// What an unknown key may be a misspelling of, "" where nothing is near or that is there as well.
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
    } else if (!is_renamed(context, member)) {
      const JsonPath field{path, member.key};
      report_unknown_key(context, member, pointer(&field), meant, known);
    }
  }
}

}  // namespace kbench
