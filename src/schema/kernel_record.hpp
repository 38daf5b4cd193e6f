// What a Trace says of a kernel that a library has, where that was judged: docs/kernels.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

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
