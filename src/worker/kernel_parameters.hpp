// What a kernel by itself gets for its parameters, by Control::launch.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

class KernelParameters {
 public:
  explicit KernelParameters(const Control& control);

  std::size_t count() const { return values_.size(); }
  // `sizes`: bytes of each parameter that the kernel has, in order. Throws std::runtime_error where
  // these are not what it gets: whoever launches it copies as many bytes, whatever is there.
  void check(const std::vector<std::size_t>& sizes) const;
  // What each parameter points to for a call with these arguments: addresses and scalars may change
  // between calls.
  void** of_call(const TVMFFIAny* arguments);

 private:
  const Control& control_;
  std::vector<std::uint64_t> values_;
  std::vector<void*> pointers_;
};

}  // namespace kbench::worker
