// What `torch`, `torch.nn.functional`, `math` and their attributes mean while a reference is
// compiled.
#pragma once

#include <functional>
#include <memory>
#include <string>

// NOLINTNEXTLINE: declared here so that LibTorch's headers stay out of this one
namespace torch::jit {
struct SugaredValue;
}

namespace kbench {

// Finds a function of the prelude (prelude.hpp) by name; nullptr where there is none.
using PreludeLookup =
    std::function<std::shared_ptr<torch::jit::SugaredValue>(const std::string& name)>;

// The module or attribute with this dotted path: "torch", "torch.nn.functional", "torch.float32",
// "math.pi". A path that is none of LibTorch's becomes a value that reports itself when it is used.
std::shared_ptr<torch::jit::SugaredValue> module_value(const std::string& path,
                                                       const PreludeLookup& prelude);

}  // namespace kbench
