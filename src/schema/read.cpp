#include "schema/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "base/text.hpp"
#include "schema/check.hpp"
#include "schema/fields.hpp"
#include "schema/lax.hpp"
#include "schema/names.hpp"
#include "schema/place.hpp"
#include "schema/read_context.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

template <class Record>
bool read_record(ReadContext& context, const json::Value& value, const JsonPath* path, Record& out);

// ---- single values: read_into(context, value, path, rule, out), true if it was read ----

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               std::string& out) {
  if (!value.is_string()) return context.expected(value, path, "a string");
  if ((is_of_names(rule) || rule == Rule::text) && value.text.empty())
    return context.fail(value, path, "expected at least one character, found an empty string");
  if (is_of_names(rule) && !context.check_name(value, value.text, path, rule)) return false;
  out = value.text;
  return true;
}

// Returns what a number must be and is not; "" when it is good.
std::string_view out_of_range(Rule rule, double value) {
  const Range* range = range_of(rule);
  return range == nullptr || range->holds(value) ? "" : range->text;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               std::int64_t& out) {
  const auto integer = lax_integer(value);
  if (!integer) return context.expected(value, path, "an integer");
  const std::string_view wanted = out_of_range(rule, static_cast<double>(*integer));
  if (!wanted.empty()) return context.expected(value, path, wanted);
  out = *integer;
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               double& out) {
  const auto number = lax_number(value);
  if (!number) return context.expected(value, path, "a number");
  const std::string_view wanted = out_of_range(rule, *number);
  if (!wanted.empty()) return context.expected(value, path, wanted);
  out = *number;
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               bool& out) {
  const auto truth = lax_bool(value);
  if (!truth) return context.expected(value, path, "true or false");
  out = *truth;
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               ScalarValue& out) {
  auto scalar = lax_scalar(value);
  if (!scalar) return context.expected(value, path, "a number, true or false");
  out = std::move(*scalar);
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               LaunchSize& out) {
  if (value.is_string()) {
    out = std::string(value.text);
    return true;
  }
  const auto integer = value.kind == json::Kind::boolean ? std::nullopt : lax_integer(value);
  if (!integer) return context.expected(value, path, "an integer or an expression");
  out = *integer;
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               ParameterValue& out) {
  auto parameter = parameter_value(value);
  if (!parameter) return context.expected(value, path, "a number, true, false or a word");
  out = *std::move(parameter);
  return true;
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               RawJson& out) {
  if (!value.is_object()) return context.expected(value, path, "an object");
  out.text = compact_json(value);
  return true;
}

template <class Enum>
requires std::is_enum_v<Enum>
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               Enum& out) {
  const auto known = names(static_cast<const Enum*>(nullptr));
  if (value.is_string()) {
    const auto it = std::find(known.begin(), known.end(), value.text);
    if (it != known.end()) {
      out = static_cast<Enum>(it - known.begin());
      return true;
    }
  }
  const std::vector<std::string> words(known.begin(), known.end());
  const std::string_view usual =
      std::is_same_v<Enum, DType> && value.is_string() ? usual_dtype_name(value.text) : "";
  std::string hint = usual.empty() ? "" : fmt::format("it is called {} here", usual);
  if (hint.empty() && value.is_string()) hint = did_you_mean(value.text, words);
  return context.fail(value, path,
                      fmt::format("unknown value {}; known: {}", found(value), join(words, ", ")),
                      std::move(hint));
}

// ---- records, unions, containers ----

template <class Record>
requires requires(const Record* r) { fields(r); }
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               Record& out) {
  return read_record(context, value, path, out);
}

// Unions are told apart by "type", as FlashInfer-Bench does; without one, by the keys there.
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               Axis& out) {
  if (!value.is_object()) return context.expected(value, path, "an object");
  const json::Value* type = value.find("type");
  const json::Value* length = value.find("value");
  const bool unsaid = type == nullptr;
  if ((unsaid && length != nullptr && lax_integer(*length).value_or(-1) >= 0) ||
      (!unsaid && type->is_string() && type->text == "const")) {
    return read_record(context, value, path, out.emplace<AxisConst>());
  }
  if (unsaid || (type->is_string() && type->text == "var"))
    return read_record(context, value, path, out.emplace<AxisVar>());
  const JsonPath type_path{path, "type"};
  return context.fail(*type, &type_path,
                      fmt::format("unknown axis type {}; known: const, var", found(*type)));
}

bool has(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member != nullptr && member->is_string() && !member->text.empty();
}

std::string_view input_type(const json::Value& value) {
  if (const json::Value* type = value.find("type")) return type->is_string() ? type->text : "";
  if (has(value, "path") && has(value, "tensor_key")) return "safetensors";
  const json::Value* literal = value.find("value");
  return literal != nullptr && lax_scalar(*literal) ? "scalar" : "random";
}

bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule,
               InputSpec& out) {
  if (!value.is_object()) return context.expected(value, path, "an object");
  const std::string_view type = input_type(value);
  if (type == "random") return read_record(context, value, path, out.emplace<RandomInput>());
  if (type == "safetensors")
    return read_record(context, value, path, out.emplace<SafetensorsInput>());
  if (type == "scalar") return read_record(context, value, path, out.emplace<ScalarInput>());
  const JsonPath type_path{path, "type"};
  const json::Value& place = *value.find("type");
  return context.fail(
      place, &type_path,
      fmt::format("unknown input type {}; known: random, safetensors, scalar", found(place)));
}

// Containers hold containers, so each knows the others.
template <class T>
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               std::vector<T>& out);
template <class T>
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               OrderedMap<T>& out);

// Reads a std::optional or Boxed.
template <class Optional>
requires requires(Optional& optional) { optional.reset(); }
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               Optional& out) {
  if (value.kind == json::Kind::null) {
    out.reset();
    return true;
  }
  return read_into(context, value, path, rule, out.emplace());
}

template <class T>
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               std::vector<T>& out) {
  if (value.kind != json::Kind::array) return context.expected(value, path, "an array");
  if ((rule == Rule::items || rule == Rule::non_empty_items) && value.items.empty())
    return context.fail(value, path, "expected at least one item, found none");
  bool good = true;
  out.reserve(value.items.size());
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonPath item{path, {}, static_cast<int>(i)};
    good &= read_into(context, value.items[i], &item, rule, out.emplace_back());
  }
  return good;
}

template <class T>
bool read_into(ReadContext& context, const json::Value& value, const JsonPath* path, Rule rule,
               OrderedMap<T>& out) {
  if (!context.check_object(value, path)) return false;
  bool good = true;
  out.items.reserve(value.members.size());
  std::unordered_map<std::string_view, std::size_t>
      rows;  // the last one of a key given twice counts
  for (const json::Member& member : value.members) {
    const JsonPath item{path, member.key};
    const bool is_of_axis = std::is_same_v<T, std::int64_t> && !member.key.empty();
    if (is_of_names(rule) || is_of_axis)
      good &= context.check_name(member.value, member.key, &item, rule);
    T element{};
    good &= read_into(context, member.value, &item, rule, element);
    const auto [row, is_new] = rows.emplace(member.key, out.items.size());
    if (is_new) {
      out.items.emplace_back(std::string(member.key), std::move(element));
    } else {
      out.items[row->second].second = std::move(element);
    }
  }
  return good;
}

// ---- one record ----

template <class Record>
std::vector<std::string> field_names() {
  std::vector<std::string> all;
  std::apply([&](const auto&... field) { (all.emplace_back(field.name), ...); },
             fields(static_cast<const Record*>(nullptr)));
  return all;
}

void report(ReadContext& context, const json::Value& value, const JsonPath* path,
            Findings findings) {
  for (Finding& finding : findings) {
    const json::Value& place = *follow(value, finding.pointer).value;
    if (place.kind == json::Kind::broken) continue;
    const std::size_t offset = place.is_string() && finding.index > 0
                                   ? json::string_offset(context.source, place, finding.index)
                                   : place.begin;
    context.error(offset, pointer(path) + finding.pointer, std::move(finding.message),
                  std::move(finding.hint));
  }
}

// Tells whether a finding needs no other field, and its own field has no error yet.
bool stands_alone(const Finding& finding, const ReadContext& context, const JsonPath* path) {
  if (!finding.pointer.starts_with("/reference") && !finding.pointer.starts_with("/constraints"))
    return false;
  const std::string place =
      pointer(path) + "/" + finding.pointer.substr(1, finding.pointer.find('/', 1) - 1);
  const auto& items = context.out.items();
  return std::none_of(items.begin(), items.end(), [&](const Diagnostic& d) {
    return d.level == Level::error && d.where.pointer.starts_with(place);
  });
}

// Tells whether a missing field is no mistake, or has been reported.
template <class Record>
bool fill(ReadContext&, const json::Value&, const JsonPath*, Record&) {
  return false;
}

bool fill(ReadContext& context, const json::Value& value, const JsonPath* path,
          SourceFile& source) {
  return fill_source(context, value, path, source);
}

template <class Record>
concept OwnRecord = requires(const Record* r) {
  is_own(r);
};

template <class Record>
bool read_record(ReadContext& context, const json::Value& value, const JsonPath* path,
                 Record& out) {
  if (!context.check_object(value, path)) return false;
  const bool filled = fill(context, value, path, out);
  const std::string_view doc = context.doc;
  bool good = true;
  std::size_t known_keys = 0;
  int row = 0;
  const auto read_field = [&](const auto& field) {
    auto& member = out.*field.member;
    const json::Value* const child = value.find(field.name);
    const bool is_null = child != nullptr && child->kind == json::Kind::null;
    if (is_null && field.need == Need::nullable) {
      context.note_null(*child, path, field.name);
      ++known_keys;
    } else if (child != nullptr) {
      const JsonPath child_path{path, field.name};
      context.doc = field.doc;
      good &= read_into(context, *child, &child_path, field.rule, member);
      out.present.add(row);
      ++known_keys;
    } else if (field.need == Need::required) {
      if (!filled || field.name != "content") {
        context.doc = field.doc;
        report_missing(context, value, path, field.name, field_names<Record>());
        good = false;
      }
    }
    ++row;
  };
  std::apply([&](const auto&... field) { (read_field(field), ...); },
             fields(static_cast<const Record*>(nullptr)));
  context.doc = doc;
  if (known_keys < value.members.size())
    report_unknown(context, value, path, field_names<Record>(), OwnRecord<Record>);
  Findings findings = check(out);
  // A record with a bad field keeps findings only about fields that were read.
  if (!good)
    std::erase_if(findings, [&](const Finding& f) { return !stands_alone(f, context, path); });
  good = good && findings.empty();
  report(context, value, path, std::move(findings));
  return good;
}

}  // namespace

template <class Record>
std::optional<Record> read(const Source& source, const json::Value& value,
                           const ReadOptions& options, Diagnostics& diagnostics) {
  ReadContext context{source, options, diagnostics};
  const std::size_t before = diagnostics.errors();
  Record record;
  read_record(context, value, nullptr, record);
  context.finish();
  if (diagnostics.errors() != before) return std::nullopt;
  return record;
}

template <class Record>
std::optional<Record> read_text(const Source& source, const ReadOptions& options,
                                Diagnostics& diagnostics) {
  json::Memory memory;
  Diagnostics syntax;
  const json::Value value = json::parse(source, 0, source.text.size(), memory, syntax);
  const bool broken = syntax.errors() > 0;
  diagnostics.append(std::move(syntax));
  if (broken && (!value.is_object() || value.lost)) return std::nullopt;
  auto record = read<Record>(source, value, options, diagnostics);
  return broken ? std::nullopt : std::move(record);
}

#define KBENCH_READ(Record)                                                                  \
  template std::optional<Record> read(const Source&, const json::Value&, const ReadOptions&, \
                                      Diagnostics&);                                         \
  template std::optional<Record> read_text(const Source&, const ReadOptions&, Diagnostics&);
KBENCH_READ(AxisConst)
KBENCH_READ(AxisVar)
KBENCH_READ(TensorSpec)
KBENCH_READ(Definition)
KBENCH_READ(SourceFile)
KBENCH_READ(BuildSpec)
KBENCH_READ(Solution)
KBENCH_READ(Workload)
KBENCH_READ(Correctness)
KBENCH_READ(Performance)
KBENCH_READ(Environment)
KBENCH_READ(Evaluation)
KBENCH_READ(Trace)
KBENCH_READ(RunConfig)
KBENCH_READ(GatePolicy)
KBENCH_READ(Compiled)
KBENCH_READ(TunedEntry)
KBENCH_READ(OverlayFile)
KBENCH_READ(PlanHead)
KBENCH_READ(PlanUnit)
KBENCH_READ(ShardState)
#undef KBENCH_READ

}  // namespace kbench
