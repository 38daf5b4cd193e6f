// Functions of Python's torch that LibTorch's compiler does not know by that name or order of
// arguments, written in the subset that it does know. The key is the dotted path that they stand
// for.
#pragma once

#include <string_view>

namespace kbench {

// The text of all of them, to be read by read_reference().
std::string_view prelude_text();

// "torch.nn.functional.embedding" → "functional_embedding"; "" where the prelude has none.
std::string_view prelude_name(std::string_view path);

}  // namespace kbench
