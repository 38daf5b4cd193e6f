// Binding of a Definition to the operator that its tag "op:ns::name.overload" names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/operators/schema.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "schema/definition.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Value of an argument of the operator.
struct BoundValue {
  enum class Kind {
    none,      // None
    input,     // input of the Definition: `index`
    output,    // output of the Definition: `index`
    axis,      // length of an axis: `text`
    constant,  // `text`, as a schema writes it and fit for its type: "1", "0.5", "inf", "True",
               // "Float"; of a str its characters, of a MemoryFormat its number
    list,      // `items`
  };
  Kind kind = Kind::none;
  std::size_t index = 0;
  std::string text;
  std::vector<BoundValue> items;
  bool is_default = false;  // the schema's own, for want of another
};

struct OperatorBinding {
  ops::Schema schema;
  std::vector<BoundValue> values;  // one for each argument, in the order of ops::arguments_of()
};

// Returns the operator that a Definition calls, "aten::add.out": that of its first tag "op:…".
std::optional<std::string> linked_operator(const Definition& definition);
bool is_linked_to(const Definition& definition, const std::string& op);
// Returns the place of a mistake in such a link: the tag, or, for arguments, op_arguments where
// there are some.
Where place_of_link(const Stored<Definition>& stored, bool is_of_arguments);

// Binds arguments by op_arguments, else to the input of the same name, else by the schema's
// default; outputs to those of the same name, else in their order. Arguments left open or given a
// value that their type does not take, and unused inputs, give nullopt and are in `problems`.
std::optional<OperatorBinding> bind_operator(const Definition& definition,
                                             const ops::Schema& schema,
                                             std::vector<std::string>& problems);

// Returns the key of the call: the Definition's dtypes, dense tensors in the order of their
// dimensions; nullopt where a dtype has no ScalarType.
std::optional<KernelKey> key_of(const OperatorBinding& binding, const Definition& definition);

}  // namespace kbench
