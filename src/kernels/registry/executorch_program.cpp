#include "kernels/registry/executorch_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/flatbuffer.hpp"

namespace kbench {
namespace {

using flat::Broken;
using flat::Table;

// Numbers of fields, and of the members of unions, in program.fbs.
namespace field {
constexpr int program_plans = 1;
constexpr int plan_values = 2, plan_chains = 5, plan_operators = 6, plan_delegates = 7;
constexpr int value_kind = 0, value = 1;
constexpr int tensor_type = 0, tensor_sizes = 2, tensor_order = 3;
constexpr int list_items = 0;
constexpr int operator_name = 0, operator_overload = 1;
constexpr int chain_instructions = 2, instruction_kind = 0, instruction = 1;
constexpr int call_operator = 0, call_arguments = 1;
constexpr int delegate_name = 0;
}  // namespace field
enum class ValueKind : std::uint8_t { null = 1, tensor = 5, tensor_list = 10, optional_list = 11 };
constexpr std::uint8_t kernel_call = 1;

TensorMeta meta_of(const Table& tensor) {
  TensorMeta meta;
  const int type = tensor.number<std::int8_t>(field::tensor_type);
  if (find_scalar_type(type) == nullptr)
    throw Broken{tensor.at(), fmt::format("{} is no type of elements", type)};
  std::vector<int> order;
  for (const std::uint8_t dim : tensor.numbers<std::uint8_t>(field::tensor_order))
    order.push_back(dim);
  if (order.empty()) {
    order.resize(tensor.numbers<std::int32_t>(field::tensor_sizes).size());
    std::iota(order.begin(), order.end(), 0);
  }
  if (const std::string wrong = dim_order_problem(order); !wrong.empty())
    throw Broken{tensor.at(), wrong};
  return {type, std::move(order), false};
}

// Values that calls may be given, in the order of a plan's values.
using Values = std::vector<std::optional<TensorMeta>>;

const std::optional<TensorMeta>& value_at(const Values& values, std::int32_t index,
                                          std::size_t at) {
  if (index < 0 || static_cast<std::size_t>(index) >= values.size())
    throw Broken{at, fmt::format("there is no value {}", index)};
  return values[static_cast<std::size_t>(index)];
}

// Returns the first tensor of a list, for which that stands; -1 in a list of optional ones is none.
std::optional<TensorMeta> first_of(const Table& list, const Values& values) {
  const auto items = list.numbers<std::int32_t>(field::list_items);
  if (items.empty() || items[0] == -1) return TensorMeta{{}, {}, true};
  return value_at(values, items[0], list.at());
}

ValueKind kind_of(const Table& value) {
  return static_cast<ValueKind>(value.number<std::uint8_t>(field::value_kind));
}

// Lists may name tensors anywhere among the values, so they come second.
Values values_of(const Table& plan) {
  const std::vector<Table> tables = plan.tables(field::plan_values);
  Values values(tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto value = tables[i].table(field::value);
    if (kind_of(tables[i]) == ValueKind::null) values[i] = TensorMeta{{}, {}, true};
    if (kind_of(tables[i]) == ValueKind::tensor && value) values[i] = meta_of(*value);
  }
  Values all = values;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const ValueKind kind = kind_of(tables[i]);
    if (kind != ValueKind::tensor_list && kind != ValueKind::optional_list) continue;
    if (const auto list = tables[i].table(field::value)) all[i] = first_of(*list, values);
  }
  return all;
}

std::vector<std::string> operators_of(const Table& plan) {
  std::vector<std::string> names;
  for (const Table& one : plan.tables(field::plan_operators)) {
    const std::string overload = one.text(field::operator_overload);
    names.push_back(one.text(field::operator_name) + (overload.empty() ? "" : "." + overload));
  }
  return names;
}

void add_calls(const Table& chain, const std::vector<std::string>& operators, const Values& values,
               std::vector<ProgramCall>& calls) {
  for (const Table& instruction : chain.tables(field::chain_instructions)) {
    if (instruction.number<std::uint8_t>(field::instruction_kind) != kernel_call) continue;
    const auto call = instruction.table(field::instruction);
    if (!call) throw Broken{instruction.at(), "a call says nothing of itself"};
    const auto index = call->number<std::int32_t>(field::call_operator);
    if (index < 0 || static_cast<std::size_t>(index) >= operators.size())
      throw Broken{call->at(), fmt::format("there is no operator {}", index)};
    ProgramCall made{operators[static_cast<std::size_t>(index)], {}};
    for (const std::int32_t argument : call->numbers<std::int32_t>(field::call_arguments))
      made.arguments.push_back(value_at(values, argument, call->at()));
    calls.push_back(std::move(made));
  }
}

void add_once(std::vector<std::string>& to, std::string name) {
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(std::move(name));
}

void add_plan(const Table& plan, ExecuTorchProgram& program) {
  const std::vector<std::string> operators = operators_of(plan);
  for (const std::string& name : operators) add_once(program.operators, name);
  for (const Table& one : plan.tables(field::plan_delegates))
    add_once(program.delegates, one.text(field::delegate_name));
  const Values values = values_of(plan);
  for (const Table& chain : plan.tables(field::plan_chains))
    add_calls(chain, operators, values, program.calls);
}

constexpr std::size_t identifier_at = 4;
constexpr std::string_view identifier = "ET12";

ExecuTorchProgram program_in(std::string_view bytes) {
  flat::Buffer buffer(bytes);
  if (buffer.span(identifier_at, identifier.size()) != identifier)
    throw Broken{identifier_at, "an ExecuTorch program has \"ET12\" there"};
  ExecuTorchProgram program;
  for (const Table& plan : flat::root(buffer).tables(field::program_plans)) add_plan(plan, program);
  return program;
}

}  // namespace

std::optional<ExecuTorchProgram> read_program(std::string_view bytes, const std::string& path,
                                              Diagnostics& diagnostics) {
  try {
    return program_in(bytes);
  } catch (const Broken& broken) {
    diagnostics.error(
        {path}, fmt::format("is no ExecuTorch program: at byte {}: {}", broken.at, broken.message),
        "a .pte file, as to_executorch() of executorch.exir makes it");
    return std::nullopt;
  }
}

std::optional<KernelKey> key_of(const ProgramCall& call, const std::vector<std::size_t>& tensors,
                                std::string& why) {
  KernelKey key;
  for (const std::size_t place : tensors) {
    const bool is_tensor = place < call.arguments.size() && call.arguments[place];
    if (!is_tensor) {
      why = fmt::format("argument {} of its call is no tensor", place);
      return std::nullopt;
    }
    key.push_back(*call.arguments[place]);
  }
  return key;
}

}  // namespace kbench
