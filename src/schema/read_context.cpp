#include "schema/read_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
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
  if (left_out > 0) out.error({source.path, 0, 0, "", ""}, fmt::format("{} more errors", left_out));
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

bool ReadContext::check_name(const json::Value& value, std::string_view name,
                             const JsonPath* path) {
  return !has_controls(name) || fail(value, path, "a name has no control characters");
}

bool ReadContext::check_names(const json::Value& object, const JsonPath* path, Rule rule) {
  constexpr std::size_t most = 10'000;
  if (object.members.size() > most)
    return fail(object, path, fmt::format("more than {} names", most));
  if (rule != Rule::non_empty) return true;
  return std::all_of(object.members.begin(), object.members.end(), [&](const auto& member) {
    const JsonPath item{path, member.key};
    return check_name(member.value, member.key, &item);
  });
}

}  // namespace kbench
