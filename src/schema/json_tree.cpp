#include "schema/json_tree.hpp"

#include <nlohmann/json.hpp>

namespace kbench {

std::string json_quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string compact_json(const json::Value& value) {
  using json::Kind;
  std::string out;
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.truth ? "true" : "false";
    case Kind::integer:
      return std::string(value.text);
    case Kind::number:
      // The names of what is not finite start with a letter, or with a sign and one.
      return value.text.find_first_of("NI") == std::string_view::npos ? std::string(value.text)
                                                                      : json_quote(value.text);
    case Kind::string:
      return json_quote(value.text);
    case Kind::array:
      for (const json::Value& item : value.items)
        out += (out.empty() ? "" : ",") + compact_json(item);
      return "[" + out + "]";
    case Kind::object:
      for (const json::Member& member : value.members) {
        out += (out.empty() ? "" : ",") + json_quote(member.key) + ":" + compact_json(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

}  // namespace kbench
