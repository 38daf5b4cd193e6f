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

// The arguments of a schema that a key names: tensors, optional tensors and lists of them.
std::vector<const ops::Argument*> tensor_arguments(const ops::Schema& schema);

// The product over the aliases that are used: an alias stands for one value at a time, wherever it
// is named. In the order in which the aliases are declared, so that the same file gives the same
// keys. Nothing where there is a mistake, which is reported.
std::optional<std::vector<KernelKey>> read_arg_meta(const json::Value& arg_meta,
                                                    const std::string& pointer,
                                                    const ops::Schema& schema,
                                                    const ReadAliases& aliases,
                                                    const YamlPlace& place);

// The tensors of a call in a line: "self=Float[0,1],other=Float[0,1],out=Float[0,1]".

// Each tensor argument of the schema is given a dtype and its dim order, or None; in any order. A
// key ("v1/6;0,1|…") is taken as it is. Nothing where it is neither: `why` says what is wrong.
std::optional<KernelKey> parse_meta(std::string_view text, const ops::Schema& schema,
                                    std::string& why);

}  // namespace kbench
