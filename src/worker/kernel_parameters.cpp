#include "worker/kernel_parameters.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace kbench::worker {
namespace {

const Argument& argument_of(const Control& control, const Parameter& parameter) {
  return parameter.argument < control.input_count
             ? control.inputs[parameter.argument]
             : control.outputs[parameter.argument - control.input_count];
}

// Bytes that a kernel's parameter has; a length also fits into fewer.
std::size_t size_of(const Control& control, const Parameter& parameter) {
  if (parameter.argument < 0) return sizeof parameter.length;
  const Argument& argument = argument_of(control, parameter);
  if (argument.kind == ArgumentKind::tensor) return sizeof(void*);
  return (std::size_t{argument.bits} + 7) / 8;
}

bool fits(const Control& control, const Parameter& parameter, std::size_t bytes) {
  const bool is_length = parameter.argument < 0;
  if (is_length && bytes == sizeof(std::int32_t))
    return parameter.length <= std::numeric_limits<std::int32_t>::max();
  return bytes == size_of(control, parameter);
}

std::string what(const Control& control, const Parameter& parameter) {
  if (parameter.argument < 0) return "the length " + std::to_string(parameter.length);
  const bool is_tensor = argument_of(control, parameter).kind == ArgumentKind::tensor;
  return is_tensor ? "a tensor's address" : "a scalar";
}

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

KernelParameters::KernelParameters(const Control& control)
    : control_(control),
      values_(static_cast<std::size_t>(control.launch.parameter_count)),
      pointers_(values_.size()) {}

void KernelParameters::check(const std::vector<std::size_t>& sizes) const {
  const std::size_t known = std::min(sizes.size(), count());
  for (std::size_t i = 0; i < known; ++i) {
    const Parameter& parameter = control_.launch.parameters[i];
    if (fits(control_, parameter, sizes[i])) continue;
    throw std::runtime_error("parameter " + std::to_string(i + 1) + " of the kernel has " +
                             bytes_text(sizes[i]) + ", and what it gets, " +
                             what(control_, parameter) + ", has " +
                             bytes_text(size_of(control_, parameter)));
  }
  if (sizes.size() != count())
    throw std::runtime_error(
        "the kernel has " + std::string(sizes.size() > count() ? "more than " : "") +
        std::to_string(known) + " parameters, and gets " + std::to_string(count()));
}

void** KernelParameters::of_call(const TVMFFIAny* arguments) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Parameter& parameter = control_.launch.parameters[i];
    pointers_[i] = &values_[i];
    if (parameter.argument < 0) {
      values_[i] = static_cast<std::uint64_t>(parameter.length);
    } else if (const TVMFFIAny& any = arguments[parameter.argument];
               any.type_index == kTVMFFIDLTensorPtr) {
      values_[i] = reinterpret_cast<std::uint64_t>(static_cast<const DLTensor*>(any.v_ptr)->data);
    } else {
      const auto& packed = control_.inputs[parameter.argument].packed;
      std::copy(std::begin(packed), std::end(packed), reinterpret_cast<std::byte*>(&values_[i]));
    }
  }
  return pointers_.data();
}

}  // namespace kbench::worker
