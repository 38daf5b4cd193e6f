// Schema of an operator: "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!)
// out) -> Tensor(a!)" as a value. Source: PyTorch, aten/src/ATen/native/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench::ops {

// Types of operator schemas. Source: PyTorch, aten/src/ATen/native/README.md.
enum class BaseType : std::uint8_t {
  tensor,
  integer,
  sym_int,
  floating,
  boolean,
  string,
  scalar,
  scalar_type,
  memory_format,
  device,
  // Types that the grammar knows and no kernel can be given:
  device_index,
  dim_vector,
  generator,
  graph_module,
  layout,
  qscheme,
  storage,
  stream,
  sym_bool,
  custom_class,  // "__torch__.torch.classes.<name>"
};

struct BaseTypeInfo {
  BaseType type;
  std::string_view name;  // name in a schema
  std::string_view cpp;   // parameter of a kernel, "" where there is none
};

std::span<const BaseTypeInfo> base_types();
const BaseTypeInfo& info(BaseType type);
std::optional<BaseType> find_base_type(std::string_view name);

// Suffix of a type: "?", "[]" or "[2]".
struct Modifier {
  enum class Kind : std::uint8_t { optional, list } kind = Kind::optional;
  std::optional<std::int64_t> size;  // size of a list

  bool operator==(const Modifier&) const = default;
};

// Base type and its modifiers from the inside out: Tensor?[] is a list of optional tensors.
struct Type {
  BaseType base = BaseType::tensor;
  std::string class_name;  // name of a custom class
  std::vector<Modifier> modifiers;

  bool operator==(const Type&) const = default;
  bool is(BaseType plain) const { return base == plain && modifiers.empty(); }
  bool is_optional() const {
    return !modifiers.empty() && modifiers.back().kind == Modifier::Kind::optional;
  }
  bool has_list() const;
};

// Returns a type as a schema writes it: "Tensor?[]".
std::string text(const Type& type);

// Memory that a tensor shares: "a", "a!" where it is written, "a|b", "a -> *".
struct Alias {
  std::string before;  // letters with "|" between them
  bool is_write = false;
  std::string after;  // "" where it stays the same

  bool operator==(const Alias&) const = default;
};

struct Argument {
  std::string name;
  Type type;
  std::optional<Alias> alias;
  std::optional<std::string> default_value;  // text as it was written
  std::size_t begin = 0;                     // byte of the schema's text

  bool is_write() const { return alias && alias->is_write; }
};

struct Return {
  std::string name;  // "" for most
  Type type;
  std::optional<Alias> alias;
  std::size_t begin = 0;

  bool is_write() const { return alias && alias->is_write; }
};

struct OperatorName {
  std::string name_space;  // "" where the schema has none: "aten" is meant
  std::string base;        // "add", "add_" in place, "__and__"
  std::string overload;    // "" for the default overload

  bool operator==(const OperatorName&) const = default;
  bool is_in_place() const;
};

struct Schema {
  OperatorName name;
  std::vector<Argument> positional;
  std::vector<Argument> keyword_only;  // arguments other than `out`
  std::vector<Argument> out;           // keyword-only and written: the results go there
  std::vector<Return> returns;
};

// Returns all arguments in the order of the schema, which is that of a call.
std::vector<const Argument*> arguments_of(const Schema& schema);

// Returns "add.out".
std::string text_without_namespace(const OperatorName& name);
// Returns "aten::add.out", the name by which an operator is registered.
std::string full_name(const OperatorName& name);
// Returns the full name for one that may lack its namespace: "aten::add.out" for "add.out".
std::string full_name(const std::string& name);
// Returns "aten::add" for "aten::add.out", the name that all its overloads share: PyTorch's
// OpOverloadPacket.
std::string packet_name(const std::string& full_name);
// Returns "Tensor(a!) out", "Scalar alpha=1".
std::string text(const Argument& argument);
std::string text(const Return& value);
// Returns the canonical form: what torchgen prints of it, character by character.
std::string text(const Schema& schema);

// Splits "ns::name.overload"; nothing is checked.
OperatorName operator_name(std::string_view text);

// Functions of C++ that schemas stand for, as ExecuTorch's generated headers declare them. `scope`
// is the text before all names that are not of the standard library: "::kbench::kernels::".

// Returns a value of a type: "Tensor", "std::optional<int64_t>", "ArrayRef<double>". The schema
// must have passed check_for_kernel().
std::string cpp_value(const Type& type, const std::string& scope = "");
// Returns the type of a parameter: "const Tensor&", "std::optional<int64_t>".
std::string cpp_parameter(const Argument& argument, const std::string& scope = "");
// Returns the type of a result: "Tensor&", "std::tuple<Tensor&, Tensor&>", "void".
std::string cpp_result(const Schema& schema, const std::string& scope = "");
// Returns a name, with a "_" behind it where C++ has another use for that, or generated code: "std"
// and "int64_t" mean what they always do.
std::string cpp_identifier(const std::string& name);
// Returns a parameter's name: the argument's, as cpp_identifier() has it; none is "context" or
// "table", which generated functions have themselves.
std::string cpp_name(const Argument& argument);

// Returns the name of a call: "add_outf" for those with `out` arguments, else the operator's name.
std::string function_name(const Schema& schema);
// Returns the usual name of a kernel: "add_scalar_out" for add.Scalar_out.
std::string usual_kernel_name(const OperatorName& name);

// Returns "Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, …, Tensor& out)".
std::string prototype(const Schema& schema, const std::string& function,
                      const std::string& scope = "");
// Returns the type of a pointer to such a function, called `pointer`.
std::string pointer_type(const Schema& schema, const std::string& pointer,
                         const std::string& scope = "");

}  // namespace kbench::ops
