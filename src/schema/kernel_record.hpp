// What a Trace says of a kernel that a library has, where that was judged: docs/kernels.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/field.hpp"

namespace kbench {

// Which kernel was taken for a workload, and why.
struct KernelRecord {
  std::string op;                       // "aten::add.out"
  std::string symbol;                   // "mylib::native::add_out"
  std::optional<std::string> key;       // "v1/6;0,1|6;0,1|6;0,1"; null: its default kernel
  std::string match;                    // "exact" or "fallback"
  std::string file;                     // the kernel yaml
  std::int64_t line = 0;                // of the kernel there
  std::optional<std::string> contract;  // which check of its contract this is: "C5 values"
  FieldSet present{};
};

}  // namespace kbench
