// Python's arithmetic where LibTorch's own operators make a float of integers, or round otherwise.
#pragma once

#include <memory>
#include <string>
#include <string_view>

// NOLINTNEXTLINE: declared here so that LibTorch's headers stay out of this one
namespace torch::jit {
struct SugaredValue;
}

namespace kbench {

// LibTorch's own function aten::`name`.
std::shared_ptr<torch::jit::SugaredValue> aten_function(const std::string& name);

// The meaning of operator.pow, operator.round and math.log2; nullptr for anything else.
std::shared_ptr<torch::jit::SugaredValue> arithmetic_value(std::string_view path);

}  // namespace kbench
