// The tables of fields of KernelRecord.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/kernel_record.hpp"

namespace kbench {

constexpr auto fields(const KernelRecord*) {
  return std::tuple{
      Field{"op", &KernelRecord::op, Need::required, Rule::non_empty,
            "The operator, \"aten::add.out\"."},
      Field{"symbol", &KernelRecord::symbol, Need::required, Rule::non_empty,
            "The kernel's function in C++."},
      Field{"key", &KernelRecord::key, Need::required, Rule::any,
            "The tensors that the kernel is registered for, \"v1/6;0,1|6;0,1\"; null for a default "
            "kernel."},
      Field{"match", &KernelRecord::match, Need::required, Rule::any,
            "\"exact\": the key names the workload's tensors; \"fallback\": the default kernel."},
      Field{"file", &KernelRecord::file, Need::required, Rule::any, "The kernel yaml."},
      Field{"line", &KernelRecord::line, Need::required, Rule::any, "The kernel's line there."},
      Field{"contract", &KernelRecord::contract, Need::extension, Rule::any,
            "Of kbench kernels test: which check of the contract this is."}};
}

}  // namespace kbench
