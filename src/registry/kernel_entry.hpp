// The kernels of one entry of a kernel yaml.
#pragma once

#include <string>
#include <vector>

#include "registry/read_kernel_yaml.hpp"
#include "registry/yaml_place.hpp"

namespace kbench {

// From `kernels`, from `dispatch` (the older form: a function for each backend), or, where there is
// neither, the function that PyTorch itself has for the operator. Mistakes are reported, a key that
// two kernels have among them. `schema` is nullptr where it is wrong: then what needs none is
// checked.
std::vector<Kernel> read_kernels(const json::Value& entry, const std::string& pointer,
                                 const ops::Schema* schema, const YamlPlace& place);

}  // namespace kbench
