#include "schema/json_tree.hpp"

#include <nlohmann/json.hpp>

namespace kbench {
namespace {

// The names of what is not finite start with a letter, or with a sign and one.
bool is_finite(std::string_view number) {
  return number.find_first_of("NI") == std::string_view::npos;
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
      out += value.text;
      break;
    case Kind::number:
      out += is_finite(value.text) ? std::string(value.text) : json_quote(value.text);
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
