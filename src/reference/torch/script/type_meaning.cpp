#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "reference/torch/script/meaning.hpp"

namespace kbench {
namespace {

using at::TypeKind;
using torch::jit::Node;
using torch::jit::Stack;
using torch::jit::Value;

constexpr std::int64_t largest_exact = std::int64_t{1} << 53;

template <bool (*overflows)(std::int64_t, std::int64_t, std::int64_t*)>
void push_checked(Stack& stack) {
  const std::int64_t b = torch::jit::pop(stack).toInt(), a = torch::jit::pop(stack).toInt();
  std::int64_t result = 0;
  TORCH_CHECK(!overflows(a, b, &result), "an integer has over 64 bits");
  torch::jit::push(stack, result);
}
bool sum_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_add_overflow(a, b, r);
}
bool difference_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_sub_overflow(a, b, r);
}
bool product_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_mul_overflow(a, b, r);
}

double as_double(const at::IValue& value) {
  TORCH_CHECK(!value.isInt() || std::abs(value.toInt()) <= largest_exact, "a large integer");
  return value.toScalar().toDouble();
}

void push_quotient(Stack& stack) {
  const double b = as_double(torch::jit::pop(stack)), a = as_double(torch::jit::pop(stack));
  TORCH_CHECK(b != 0, "division by zero");
  torch::jit::push(stack, a / b);
}

// Registers operators that raise in the places of LibTorch's, which do not.
void register_checked() {
  using torch::jit::Operator;
  constexpr auto pure = c10::AliasAnalysisKind::FROM_SCHEMA;
  static const torch::jit::RegisterOperators once(
      {Operator("kbench::add(int a, int b) -> int", &push_checked<sum_overflows>, pure),
       Operator("kbench::sub(int a, int b) -> int", &push_checked<difference_overflows>, pure),
       Operator("kbench::mul(int a, int b) -> int", &push_checked<product_overflows>, pure),
       Operator("kbench::div(Scalar a, Scalar b) -> float", &push_quotient, pure)});
}

bool is_tensor(const at::TypePtr& type) {
  if (type->isSubtypeOf(*at::TensorType::get())) return true;
  for (const at::TypePtr& part : type->containedTypes())
    if (is_tensor(part)) return true;
  return false;
}

bool has_tensor(const Node& node) {
  for (const Value* value : node.inputs())
    if (is_tensor(value->type())) return true;
  for (const Value* value : node.outputs())
    if (is_tensor(value->type())) return true;
  return false;
}

char letter(const Value& value) {
  switch (value.type()->kind()) {
    case TypeKind::IntType:
      return 'i';
    case TypeKind::FloatType:
      return 'f';
    case TypeKind::BoolType:
      return 'b';
    case TypeKind::NumberType:
      return 'n';  // result of .item()
    case TypeKind::ListType:
      return value.type()->containedType(0)->kind() == TypeKind::IntType ? 'l' : 'L';
    case TypeKind::NoneType:
      return '0';
    case TypeKind::StringType:
      return 's';
    default:
      return '?';
  }
}

// Operators without tensors, and the types that their arguments may have.
constexpr std::pair<std::string_view, std::string_view> known[] = {
    {" add sub mul div neg ", "if"},
    {" lt le gt ge ", "ifn"},
    {" floordiv remainder max __range_length __derive_index ", "i"},
    {" min ", "il"},
    {" eq ne ", "ifbn"},
    {" Bool ", "ifb"},
    {" __not__ __and__ __or__ ", "b"},
    {" Int Float ", "ifbns"},
    {" len __getitem__ slice ", "lLi0"},
    {" __is__ __isnot__ ", "ifbnlL0s?"}};

bool is_known(const Node& node) {
  for (const auto& [names, types] : known) {
    if (!is_listed(node.kind().toUnqualString(), names)) continue;
    return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Value* input) {
      return types.find(letter(*input)) != types.npos;
    });
  }
  return false;
}

// Factors in place are rounded to the tensor's dtype first; a number divided by a tensor is
// multiplied by its reciprocal; a tensor in a number's place loses what it holds beyond that.
bool differs_with_tensors(const Node& node) {
  const std::string_view name = node.kind().toUnqualString();
  if (name.ends_with("Implicit")) return name != "BoolImplicit";
  if (name == "mul_") return !is_tensor(node.input(1)->type());
  return is_one_of(name, {"floordiv", "floor_divide", "remainder", "min", "max"}) &&
         !is_tensor(node.input(0)->type());
}

void refuse_node(const Node& node) {
  const bool compares = is_one_of(node.kind().toQualString(), {"prim::min", "prim::max"});
  if (!node.kind().is_aten() && !compares) return;
  if (has_tensor(node) ? !differs_with_tensors(node) : is_known(node)) return;
  throw(torch::jit::ErrorReport(node.sourceRange())
        << node.kind().toUnqualString() << " of these types");
}

bool is_replaced(const Node& node) {
  const std::string_view name = node.kind().toUnqualString();
  if (!node.kind().is_aten() || has_tensor(node)) return false;
  return name == "div" || (is_one_of(name, {"add", "sub", "mul"}) && letter(*node.output()) == 'i');
}

void replace(Node& node) {
  const std::string name = std::string("kbench::") + node.kind().toUnqualString();
  Node* made = node.owningGraph()->create(torch::jit::Symbol::fromQualString(name), node.inputs());
  made->insertBefore(&node)->setSourceRange(node.sourceRange());
  made->output()->setType(node.output()->type());
  node.output()->replaceAllUsesWith(made->output());
  node.destroy();
}

}  // namespace

void refuse_other_types(torch::jit::Block& block) {
  register_checked();
  std::vector<Node*> replaced;
  for (Node* node : block.nodes()) {
    for (torch::jit::Block* inner : node->blocks()) refuse_other_types(*inner);
    refuse_node(*node);
    if (is_replaced(*node)) replaced.push_back(node);
  }
  for (Node* node : replaced) replace(*node);
}

}  // namespace kbench
