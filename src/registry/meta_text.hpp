// The tensors of a call in a line: "self=Float[0,1],other=Float[0,1],out=Float[0,1]".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operators/schema.hpp"
#include "registry/kernel_key.hpp"

namespace kbench {

// Each tensor argument of the schema is given a dtype and its dim order, or None; in any order. A
// key ("v1/6;0,1|…") is taken as it is. Nothing where it is neither: `why` says what is wrong.
std::optional<KernelKey> parse_meta(std::string_view text, const ops::Schema& schema,
                                    std::string& why);

}  // namespace kbench
