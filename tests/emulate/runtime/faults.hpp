// A kernel's tensors in the tests of faults.
#pragma once

#include <vector>

#include "emulate/runtime/launching.hpp"

namespace emulation_test {

constexpr int threads = 64;

struct Faults : testing::Test {
  std::vector<float> x = std::vector<float>(threads, 1.0f);
  std::vector<float> y = std::vector<float>(threads);
  std::vector<int> n = std::vector<int>(threads);
  Call call;

  void SetUp() override { call.input(x, "x").output(y, "y").output(n, "n"); }
  // Calls launch() in all orders.
  template <typename Launch>
  void in_all_orders(Launch launch) {
    for (int seed = 0; seed < orders; ++seed) {
      call.begin(static_cast<uint64_t>(seed));
      launch();
      ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    }
  }
};

}  // namespace emulation_test
