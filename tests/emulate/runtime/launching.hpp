// Launches of kernels that are written as the translator writes them.
#pragma once

#undef NDEBUG  // kernels assert

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#define KB_SHARED(type, name, ...)      \
  typedef type name##_type __VA_ARGS__; \
  static char name##_site;              \
  auto& name = ::kbench_emulation::shared_at<name##_type>(&name##_site, 4, #name)
#define KB_LAUNCH KBENCH_EMULATED_LAUNCH
#define KB_ASM KBENCH_EMULATED_ASM

extern "C" void kbench_emulation_has_torch();

namespace emulation_test {

constexpr int orders = 20;  // a right kernel is right in each

// The tensors of one call: inputs have contents, outputs none.
class Call {
 public:
  template <typename T>
  Call& input(const std::vector<T>& data, const char* name) {
    regions_.push_back({data.data(), data.size() * sizeof(T), name, 0});
    return *this;
  }
  template <typename T>
  Call& output(std::vector<T>& data, const char* name) {
    regions_.push_back({data.data(), data.size() * sizeof(T), name, 1});
    return *this;
  }
  void begin(uint64_t seed = 0) const {
    kbench_emulation_has_torch();  // tests look at tensors without copying them to the host
    kbench_emulation_call(regions_.data(), regions_.size(), seed);
  }

 private:
  std::vector<kbench_emulation_region> regions_;
};

// Returns what the runtime prints of a fault: kind and text, the file with the line, the kernel.
inline std::string fault(const std::string& text, int line, const std::string& kernel) {
  return "^kbench-emulation: " + text + ".*_test\\.cpp:" + std::to_string(line) + ", kernel " +
         kernel + ", block";
}

}  // namespace emulation_test

// The statement ends the process with this fault.
#define EXPECT_FAULT(statement, text) EXPECT_EXIT(statement, ::testing::ExitedWithCode(86), text)
