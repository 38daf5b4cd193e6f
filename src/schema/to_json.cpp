#include "schema/to_json.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "schema/fields.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

template <class Record>
requires requires(const Record* r) { fields(r); }
Json value_of(const Record& record, Dump dump);

template <class T>
Json value_of(const std::optional<T>& value, Dump dump);
template <class T>
Json value_of(const Boxed<T>& value, Dump dump);
template <class... T>
Json value_of(const std::variant<T...>& value, Dump dump);
template <class T>
Json value_of(const std::vector<T>& list, Dump dump);
template <class T>
Json value_of(const OrderedMap<T>& map, Dump dump);

Json value_of(const std::string& text, Dump) { return text; }
Json value_of(bool truth, Dump) { return truth; }
Json value_of(std::int64_t integer, Dump) { return integer; }

Json value_of(double number, Dump) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

Json value_of(const RawJson& raw, Dump) { return Json::parse(raw.text); }
// Every reader of the schema takes an integer's digits as a string; as a JSON number they would not
// survive nlohmann's double.
Json value_of(const BigInteger& integer, Dump) { return integer.digits; }

template <class Enum>
requires std::is_enum_v<Enum> Json value_of(Enum value, Dump) { return name_of(value); }

template <class T>
Json value_of(const std::optional<T>& value, Dump dump) {
  return value ? value_of(*value, dump) : Json(nullptr);
}

template <class T>
Json value_of(const Boxed<T>& value, Dump dump) {
  return value ? value_of(*value, dump) : Json(nullptr);
}

template <class... T>
Json value_of(const std::variant<T...>& value, Dump dump) {
  return std::visit([dump](const auto& held) { return value_of(held, dump); }, value);
}

template <class T>
Json value_of(const std::vector<T>& list, Dump dump) {
  Json out = Json::array();
  for (const T& item : list) out.push_back(value_of(item, dump));
  return out;
}

template <class T>
Json value_of(const OrderedMap<T>& map, Dump dump) {
  Json out = Json::object();
  for (const auto& [name, item] : map) out[name] = value_of(item, dump);
  return out;
}

template <class T>
bool is_given(const T&) {
  return false;
}
template <class T>
bool is_given(const std::optional<T>& value) {
  return value.has_value();
}
template <class T>
bool is_given(const Boxed<T>& value) {
  return value.has_value();
}

template <class T>
bool is_same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
    return a == b;
  else
    return false;
}

template <class Record>
Json fields_of(const Record& record, Dump dump) {
  Json out = Json::object();
  static const Record initial{};
  int row = 0;
  const auto write_field = [&](const auto& field) {
    const auto& member = record.*field.member;
    const bool extension = field.need == Need::extension;
    bool wanted = extension ? is_given(member) : dump == Dump::full || record.present.has(row);
    if (field.need == Need::unusual) wanted = !is_same(member, initial.*field.member);
    if (wanted) out[std::string(field.name)] = value_of(member, dump);
    ++row;
  };
  std::apply([&](const auto&... field) { (write_field(field), ...); },
             fields(static_cast<const Record*>(nullptr)));
  return out;
}

template <class Record>
requires requires(const Record* r) { fields(r); }
Json value_of(const Record& record, Dump dump) { return fields_of(record, dump); }

// Emulated traces get a key of their own: no reader of evaluations may take one for a real one.
Json value_of(const Trace& trace, Dump dump) {
  if (!trace.evaluation || !is_emulated(*trace.evaluation)) return fields_of(trace, dump);
  Trace written = trace;
  written.emulation = *std::exchange(written.evaluation, std::nullopt);
  return fields_of(written, dump);
}

}  // namespace

template <class Record>
std::string to_json(const Record& record, Dump dump, int indent) {
  return value_of(record, dump).dump(indent, ' ', false, Json::error_handler_t::replace);
}

template std::string to_json(const AxisConst&, Dump, int);
template std::string to_json(const AxisVar&, Dump, int);
template std::string to_json(const TensorSpec&, Dump, int);
template std::string to_json(const Definition&, Dump, int);
template std::string to_json(const SourceFile&, Dump, int);
template std::string to_json(const BuildSpec&, Dump, int);
template std::string to_json(const Solution&, Dump, int);
template std::string to_json(const Workload&, Dump, int);
template std::string to_json(const Correctness&, Dump, int);
template std::string to_json(const Performance&, Dump, int);
template std::string to_json(const Environment&, Dump, int);
template std::string to_json(const Evaluation&, Dump, int);
template std::string to_json(const Trace&, Dump, int);
template std::string to_json(const Compiled&, Dump, int);
template std::string to_json(const ConfigurationRecord&, Dump, int);
template std::string to_json(const TuningKey&, Dump, int);
template std::string to_json(const TunedEntry&, Dump, int);
template std::string to_json(const OverlayFile&, Dump, int);
template std::string to_json(const PlanHead&, Dump, int);
template std::string to_json(const PlanUnit&, Dump, int);
template std::string to_json(const ShardState&, Dump, int);

namespace {

// Returns numbers of YAML that JSON does not know (+3, 25., .5) in its form; what is none at all
// (NaN, 1.2.3) is a text.
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
