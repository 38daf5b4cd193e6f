// Meaning of text: LibTorch's compiler gives some of it another one than Python. It gets what is
// listed here and no more; any other reference is Python's.
#pragma once

#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "reference/torch/text/reference_text.hpp"

// NOLINTNEXTLINE: its header is large
namespace torch::jit {
struct SugaredValue;
}

namespace kbench {

// Tells whether a word is in a list, where each stands between two blanks.
bool is_listed(std::string_view word, std::string_view list);

// Tells whether LibTorch's operator is also Python's torch's under the same name, as a function or
// as a method of tensors, with the same arguments.
bool is_operator(std::string_view name);

// Returns the module or function with this dotted path: "torch", "torch.nn.functional"; nullptr for
// one that is left to Python.
std::shared_ptr<torch::jit::SugaredValue> module_value(const std::string& path);

// Throws torch::jit::ErrorReport, with the place, for anything in a function's tree that is not
// listed. The tree is LibTorch's own, as its parser ranks some operators otherwise than Python.
// Returns the functions of the reference that it calls.
std::set<std::string> refuse_other_trees(const torch::jit::Def& function,
                                         const ReferenceText& text);

// Throws it for operators whose types tell: those on numbers and lists, and products in place.
// Makes integers that leave 64 bits and divisions by zero raise.
void refuse_other_types(torch::jit::Block& block);

}  // namespace kbench
