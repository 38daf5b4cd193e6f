// How a Definition calls the operator that its tag "op:ns::name.overload" names.
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

// What an argument of the operator is given.
struct BoundValue {
  enum class Kind {
    none,      // None
    input,     // of the Definition: `index`
    output,    // of the Definition: `index`
    axis,      // its length: `text`
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

// The operator that a Definition calls, "aten::add.out": of its tags "op:…" the first one's.
std::optional<std::string> linked_operator(const Definition& definition);
bool is_linked_to(const Definition& definition, const std::string& op);
// Where a mistake of such a link stands in the file: at the tag, or, if it is one of arguments and
// there are some, at op_arguments.
Where place_of_link(const Stored<Definition>& stored, bool is_of_arguments);

// Arguments are bound by op_arguments, else to the input of the same name, else by the schema's
// default; outputs to those of the same name, else in their order. Nothing where that leaves one
// open, gives one what its type does not take, or leaves an input unused: `problems` says which.
std::optional<OperatorBinding> bind_operator(const Definition& definition,
                                             const ops::Schema& schema,
                                             std::vector<std::string>& problems);

// The key of the call: the Definition's dtypes, dense tensors in the order of their dimensions.
// Nothing where a dtype has no ScalarType.
std::optional<KernelKey> key_of(const OperatorBinding& binding, const Definition& definition);

}  // namespace kbench
