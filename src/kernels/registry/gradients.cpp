#include "kernels/registry/gradients.hpp"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <stdexcept>

#include "base/text.hpp"
#include "base/words.hpp"
#include "problem/constraint.hpp"
#include "problem/constraint_value.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using json::Kind;

constexpr std::string_view residual_keys[] = {"name", "shape", "dtype"};

class GradientReader {
 public:
  GradientReader(const YamlPlace& place, GradientSpec& out) : place_(place), out_(out) {}

  void read_nondiff(const json::Value& value, const std::string& pointer) {
    if (value.kind != Kind::array) return place_.wrong(value, pointer, "a list of inputs");
    for (const json::Value& item : value.items) {
      if (item.is_string())
        out_.nondiff.push_back({std::string(item.text), place_.at(item, pointer)});
      else
        place_.wrong(item, pointer, "the name of an input");
    }
  }

  void read_residuals(const json::Value& value, const std::string& pointer) {
    if (value.kind != Kind::array)
      return place_.wrong(value, pointer, "a list of tensors",
                          "as in residuals: [{name: rstd, shape: [batch_size], dtype: float32}]");
    for (std::size_t i = 0; i < value.items.size(); ++i)
      read_residual(value.items[i], fmt::format("{}/{}", pointer, i));
  }

 private:
  void read_residual(const json::Value& value, const std::string& pointer) {
    if (!value.is_object()) return place_.wrong(value, pointer, "a map with name, shape and dtype");
    ResidualSpec residual;
    residual.where = place_.at(value, pointer);
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (member.key == "name") {
        residual.name = member.value.text;
        if (!member.value.is_string() || residual.name.empty())
          place_.wrong(member.value, inside, "a name");
      } else if (member.key == "shape") {
        residual.shape = read_shape(member.value, inside);
      } else if (member.key == "dtype") {
        read_dtype(member.value, inside, residual);
      } else {
        const std::vector<std::string> known(std::begin(residual_keys), std::end(residual_keys));
        place_.out.error(place_.key(member, inside), fmt::format("unknown key \"{}\"", member.key),
                         did_you_mean(member.key, known));
      }
    }
    for (const std::string_view key : residual_keys) {
      if (value.find(key) == nullptr)
        place_.out.error(residual.where, fmt::format("a residual must have {}", key));
    }
    out_.residuals.push_back(std::move(residual));
  }

  std::vector<std::string> read_shape(const json::Value& value, const std::string& pointer) {
    std::vector<std::string> shape;
    if (value.kind == Kind::null) return shape;  // a number
    if (value.kind != Kind::array) place_.wrong(value, pointer, "a list of axes");
    for (const json::Value& item : value.items) {
      const bool is_number = item.kind == Kind::integer;
      if (!item.is_string() && !is_number)
        place_.wrong(item, pointer, "an axis, a number or an expression, as in \"n // 64\"");
      shape.emplace_back(item.text);
    }
    return shape;
  }

  void read_dtype(const json::Value& value, const std::string& pointer, ResidualSpec& residual) {
    const auto dtype = value.is_string() ? find_dtype(value.text) : std::nullopt;
    if (dtype) {
      residual.dtype = *dtype;
      return;
    }
    std::vector<std::string> known;
    for (const std::string_view name : names(static_cast<const DType*>(nullptr)))
      known.emplace_back(name);
    const std::string hint = did_you_mean(value.text, known);
    place_.wrong(value, pointer, "a dtype", hint.empty() ? "they are " + join(known, ", ") : hint);
  }

  const YamlPlace& place_;
  GradientSpec& out_;
};

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

void check_nondiff(const Nondiff& one, const Definition& definition, Diagnostics& out) {
  const TensorSpec* const input = definition.inputs.find(one.input);
  if (input == nullptr) {
    const std::string hint = did_you_mean(one.input, keys_of(definition.inputs));
    out.error(one.where, fmt::format("{} has no input \"{}\"", definition.name, one.input),
              hint.empty() ? "its inputs are " + join(keys_of(definition.inputs), ", ") : hint);
  }
}

void check_length(const std::string& length, const ResidualSpec& residual,
                  const Definition& definition, Diagnostics& out) {
  const auto parsed = python::parse_expression(length);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return out.error(residual.where, fmt::format("\"{}\": {}", length, error->message),
                     "a length is an axis, a number or an expression, as in \"n // 64\"");
  const auto flaw =
      find_invalid_part(*std::get<python::ExpressionPtr>(parsed), {[&](std::string_view name) {
        return definition.axes.contains(name) ? std::optional<std::int64_t>(1) : std::nullopt;
      }});
  if (!flaw) return;
  if (flaw->part->kind != python::Expression::Kind::name)
    return out.error(residual.where, fmt::format("\"{}\": {}", length, flaw->message), flaw->hint);
  const std::string& axis = flaw->part->text;
  const std::string hint = did_you_mean(axis, keys_of(definition.axes));
  out.error(residual.where, fmt::format("{} has no axis \"{}\"", definition.name, axis),
            hint.empty() ? "its axes are " + join(keys_of(definition.axes), ", ") : hint);
}

void check_residual(const ResidualSpec& residual, const Definition& definition,
                    std::set<std::string>& names, Diagnostics& out) {
  if (!names.insert(residual.name).second)
    out.error(residual.where,
              fmt::format("\"{}\" is the name of another tensor already", residual.name),
              "residuals stand beside the inputs and outputs in a call: name it otherwise");
  for (const std::string& length : residual.shape) check_length(length, residual, definition, out);
}

}  // namespace

std::int64_t residual_length(const ResidualSpec& residual, const std::string& expression,
                             const OrderedMap<std::int64_t>& axes) {
  const ConstraintValue value =
      constraint_value(expression, {[&](std::string_view name) {
                         const std::int64_t* const known = axes.find(name);
                         return known == nullptr ? std::nullopt : std::optional(*known);
                       }});
  const auto length = integer_of(value);
  if (length && *length > 0) return *length;
  throw std::domain_error(
      fmt::format("the residual {} has no length {}: {}", residual.name, expression,
                  length ? fmt::format("it is {}", *length) : std::get<NoValue>(value).message));
}

bool read_gradient_key(const json::Member& member, const std::string& pointer,
                       const YamlPlace& place, GradientSpec& out) {
  GradientReader reader(place, out);
  if (member.key == "nondiff") {
    reader.read_nondiff(member.value, pointer);
  } else if (member.key == "residuals") {
    reader.read_residuals(member.value, pointer);
  } else {
    return false;
  }
  return true;
}

bool fits(const GradientSpec& spec, const Definition& definition, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  for (const Nondiff& one : spec.nondiff) check_nondiff(one, definition, diagnostics);
  std::set<std::string> names;
  for (const auto* tensors : {&definition.inputs, &definition.outputs})
    for (const auto& [name, tensor] : *tensors) names.insert(name);
  for (const ResidualSpec& residual : spec.residuals)
    check_residual(residual, definition, names, diagnostics);
  return diagnostics.errors() == before;
}

}  // namespace kbench
