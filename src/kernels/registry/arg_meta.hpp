// arg_meta of a kernel yaml → the keys it stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/operators/schema.hpp"
#include "kernels/registry/kernel_entry.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {

// Returns the arguments of a schema that a key names: tensors, optional tensors and lists of them.
std::vector<const ops::Argument*> tensor_arguments(const ops::Schema& schema);

// Returns the product over the aliases that are used: an alias stands for one value at a time,
// wherever it is named. Keys follow the order in which the aliases are declared, so that the same
// file gives the same ones. Mistakes are reported; the result is then nullopt.
std::optional<std::vector<KernelKey>> read_arg_meta(const json::Value& arg_meta,
                                                    const std::string& pointer,
                                                    const ops::Schema& schema,
                                                    const ReadAliases& aliases,
                                                    const YamlPlace& place);

// Tensors of a call in a line: "self=Float[0,1],other=Float[0,1],out=Float[0,1]".

// Reads a dtype and its dim order, or None, for each tensor argument of the schema, in any order;
// or a key ("v1/6;0,1|…"). Other texts give nullopt: `why` says what is wrong.
std::optional<KernelKey> parse_meta(std::string_view text, const ops::Schema& schema,
                                    std::string& why);

}  // namespace kbench
