#include "schema/kinds.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "schema/definition.hpp"
#include "schema/fields.hpp"
#include "schema/lax.hpp"
#include "schema/names.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"
#include "schema/trace.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
struct Of {};  // selects the overload for a member's type

template <class Record>
requires requires(const Record* r) { fields(r); }
Json schema_of(Of<Record>, Rule);

// Strings with numbers are read as numbers, too; the schema gives what should be written.
Json schema_of(Of<std::string>, Rule rule) {
  Json out{{"type", "string"}};
  if (is_of_names(rule) || rule == Rule::text) out["minLength"] = 1;
  return out;
}

Json numeric(const char* type, Rule rule) {
  Json out{{"type", type}};
  const Range* range = range_of(rule);
  if (range == nullptr) return out;
  out[range->with_zero ? "minimum" : "exclusiveMinimum"] = 0;
  if (std::isfinite(range->highest)) out["maximum"] = static_cast<std::int64_t>(range->highest);
  return out;
}

Json schema_of(Of<std::int64_t>, Rule rule) { return numeric("integer", rule); }

Json schema_of(Of<double>, Rule rule) {
  Json words = Json::array({"Infinity"});
  if (rule != Rule::non_negative) words.insert(words.end(), {"NaN", "-Infinity"});
  return Json{{"anyOf", Json::array({numeric("number", rule), Json{{"enum", words}}})}};
}

Json schema_of(Of<bool>, Rule) { return Json{{"type", "boolean"}}; }
Json schema_of(Of<RawJson>, Rule) { return Json{{"type", "object"}}; }
Json schema_of(Of<ParameterValue>, Rule) {
  return Json{{"type", Json::array({"number", "boolean", "string"})}};
}
Json schema_of(Of<ScalarValue>, Rule) { return Json{{"type", Json::array({"number", "boolean"})}}; }

template <class Enum>
requires std::is_enum_v<Enum> Json schema_of(Of<Enum>, Rule) {
  Json words = Json::array();
  for (const std::string_view name : names(static_cast<const Enum*>(nullptr)))
    words.push_back(name);
  return Json{{"enum", words}};
}

template <class T>
Json schema_of(Of<std::optional<T>>, Rule rule) {
  return Json{{"anyOf", Json::array({schema_of(Of<T>{}, rule), Json{{"type", "null"}}})}};
}

template <class T>
Json schema_of(Of<Boxed<T>>, Rule rule) {
  return schema_of(Of<std::optional<T>>{}, rule);
}

template <class T>
Json schema_of(Of<std::vector<T>>, Rule rule) {
  Json out{{"type", "array"}, {"items", schema_of(Of<T>{}, rule)}};
  if (rule == Rule::items || rule == Rule::non_empty_items) out["minItems"] = 1;
  return out;
}

template <class T>
Json schema_of(Of<OrderedMap<T>>, Rule rule) {
  Json out{{"type", "object"}, {"additionalProperties", schema_of(Of<T>{}, rule)}};
  if (is_of_names(rule)) out["propertyNames"] = Json{{"minLength", 1}};
  return out;
}

template <class... T>
Json schema_of(Of<std::variant<T...>>, Rule rule) {
  return Json{{"anyOf", Json::array({schema_of(Of<T>{}, rule)...})}};
}

// Unknown keys are ignored by every reader, so they are not forbidden here.
template <class Record>
requires requires(const Record* r) { fields(r); }
Json schema_of(Of<Record>, Rule) {
  Json properties = Json::object();
  Json required = Json::array();
  Record initial{};
  const auto add = [&]<class Member>(const Field<Record, Member>& field) {
    Json property = schema_of(Of<Member>{}, field.rule);
    if (field.need == Need::nullable)
      property = Json{{"anyOf", Json::array({property, Json{{"type", "null"}}})}};
    property["description"] = field.doc;
    // Discriminator of a union: a constant.
    if (field.name == "type") {
      if constexpr (std::is_same_v<Member, std::string>)
        property = Json{{"const", initial.*field.member}};
    }
    properties[std::string(field.name)] = property;
    if (field.need == Need::required) required.push_back(field.name);
  };
  std::apply([&](const auto&... field) { (add(field), ...); },
             fields(static_cast<const Record*>(nullptr)));
  Json out{{"type", "object"}, {"properties", properties}};
  if (!required.empty()) out["required"] = required;
  return out;
}

}  // namespace

template <class Record>
std::string json_schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"}};
  out.update(schema_of(Of<Record>{}, Rule::any));
  return out.dump(2);
}

template std::string json_schema<AxisConst>();
template std::string json_schema<AxisVar>();
template std::string json_schema<TensorSpec>();
template std::string json_schema<Definition>();
template std::string json_schema<BuildSpec>();
template std::string json_schema<Solution>();
template std::string json_schema<Workload>();
template std::string json_schema<Correctness>();
template std::string json_schema<Performance>();
template std::string json_schema<Evaluation>();
template std::string json_schema<Trace>();

namespace {

template <class Record>
std::string check_text(const Source& source, const ReadOptions& options, Diagnostics& diagnostics) {
  const auto record = read_text<Record>(source, options, diagnostics);
  return record ? to_json(*record, Dump::full, 2) : "";
}

template <class Record>
constexpr Kind row(std::string_view name, std::string_view doc) {
  return {name, doc, &check_text<Record>, &json_schema<Record>};
}

constexpr Kind kind_rows[] = {
    row<Definition>("definition", "What a kernel has to compute."),
    row<Solution>("solution", "Source code that claims to compute a Definition."),
    row<Workload>("workload", "Axis values and inputs for one call."),
    row<Trace>("trace", "A workload, and what came of running a solution on it."),
    row<Evaluation>("evaluation", "Status, environment, correctness and performance of one run."),
    row<Correctness>("correctness", "Errors against the reference."),
    row<Performance>("performance", "Latencies in milliseconds."),
    row<TensorSpec>("tensor_spec", "Shape and dtype of an input or output."),
    row<AxisConst>("axis_const", "An axis of fixed length."),
    row<AxisVar>("axis_var", "An axis whose length comes from the workload."),
    row<BuildSpec>("build_spec", "How a solution is built and called."),
};

}  // namespace

std::span<const Kind> kinds() { return kind_rows; }

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kind_rows)
    if (kind.name == name) return &kind;
  return nullptr;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> all;
  for (const Kind& kind : kind_rows) all.emplace_back(kind.name);
  return all;
}

}  // namespace kbench
