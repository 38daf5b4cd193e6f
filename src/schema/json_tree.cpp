#include "schema/json_tree.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kbench {
namespace {

// YAML writes numbers that JSON does not know (+3, 25., .5); what is none at all (NaN, 1.2.3) is a
// text.
std::string json_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (nlohmann::json::accept(text)) return std::string(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(value) ? nlohmann::json(value).dump() : json_quote(text);
}

void append(std::string& out, const json::Value& value);

void append_array(std::string& out, const json::Value& array) {
  out += '[';
  for (const json::Value& item : array.items) {
    if (&item != array.items.data()) out += ',';
    append(out, item);
  }
  out += ']';
}

void append_object(std::string& out, const json::Value& object) {
  out += '{';
  for (const json::Member& member : object.members) {
    if (&member != object.members.data()) out += ',';
    out += json_quote(member.key);
    out += ':';
    append(out, member.value);
  }
  out += '}';
}

void append(std::string& out, const json::Value& value) {
  using json::Kind;
  switch (value.kind) {
    case Kind::null:
    case Kind::broken:
      out += "null";
      break;
    case Kind::boolean:
      out += value.truth ? "true" : "false";
      break;
    case Kind::integer:
    case Kind::number:
      out += json_number(value.text);
      break;
    case Kind::string:
      out += json_quote(value.text);
      break;
    case Kind::array:
      append_array(out, value);
      break;
    case Kind::object:
      append_object(out, value);
      break;
  }
}

}  // namespace

std::string json_quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string compact_json(const json::Value& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace kbench
