// Memory that a kernel allocates, lambdas as its arguments, and launches that are refused.
#include "emulate/runtime/faults.hpp"

namespace {

using emulation_test::Faults;
using emulation_test::threads;

struct Node {
  float value;
  Node* next = nullptr;
  explicit Node(float x) : value(x) {}
};

// Threads make lists, which others read behind a barrier.
__global__ void lists(const float* x, float* y, Node** heads) {
  const unsigned i = threadIdx.x;
  heads[i] = new Node(x[i]);
  heads[i]->next = static_cast<Node*>(malloc(sizeof(Node)));
  heads[i]->next->value = static_cast<float>(i);
  __syncthreads();
  Node* const other = heads[threads - 1 - i];
  y[i] = other->value + other->next->value;
  free(other->next);
  delete other;
}

TEST_F(Faults, MemoryThatAKernelAllocates) {
  std::vector<Node*> heads(threads);
  call.output(heads, "heads");
  in_all_orders([&] {
    KB_LAUNCH((lists), (1, threads), x.data(), y.data(), heads.data());
    EXPECT_EQ(y[0], 64.0f);
  });
}

enum class Use { beyond, unwritten, after_free, freed_twice, of_others, too_much };
__global__ void misuses(float* y, Use use) {
  using kbench_emulation::opaque;  // so that the compiler takes nothing away
  auto* const own = opaque(static_cast<float*>(malloc(use == Use::too_much ? 9 << 20 : 16)));
  if (use == Use::too_much) *y = own == nullptr;
  if (use == Use::beyond) own[4] = 1;
  if (use == Use::unwritten) *y = own[0];
  if (use == Use::of_others) free(y);
  free(opaque(own));
  if (use == Use::after_free) *y = own[0];
  if (use == Use::freed_twice) free(own);
}

TEST_F(Faults, MisuseOfMemoryThatAKernelAllocates) {
  call.begin();
  const auto misuse = [&](Use use) { KB_LAUNCH((misuses), (1, 1), y.data(), use); };
  EXPECT_FAULT(misuse(Use::beyond),
               "OUT_OF_BOUNDS write of 4 bytes at byte 16 of memory of malloc");
  EXPECT_FAULT(misuse(Use::unwritten), "UNINITIALISED read of 4 bytes of memory of malloc");
  EXPECT_FAULT(misuse(Use::after_free), "UNINITIALISED read .* memory that a kernel has freed");
  EXPECT_FAULT(misuse(Use::freed_twice), "OUT_OF_BOUNDS free in a kernel");
  EXPECT_FAULT(misuse(Use::of_others), "OUT_OF_BOUNDS free in a kernel");
  misuse(Use::too_much);
  EXPECT_EQ(y[0], 1.0f);
}

template <typename F>
__global__ void applies(const float* x, float* y, F work) {
  y[threadIdx.x] = work(x[threadIdx.x]);
}

TEST_F(Faults, LambdasAsArguments) {
  const float factor = 3;
  in_all_orders([&] {
    KB_LAUNCH((applies), (1, threads), x.data(), y.data(),
              [=] __device__(float one) { return factor * one; });
    EXPECT_EQ(y[7], 3.0f);
    KB_LAUNCH((applies<float (*)(float)>), (1, threads), x.data(), y.data(),
              [](float one) -> float { return 2 * one; });
    EXPECT_EQ(y[7], 2.0f);
  });
}

__global__ void has_default(float* y, float a, float b = 2) { *y = a + b; }

TEST_F(Faults, ParametersWithDefaults) {
  call.begin();
  KB_LAUNCH((has_default), (1, 1), y.data(), 1.0f);
  EXPECT_EQ(y[0], 3.0f);
  KB_LAUNCH((has_default), (1, 1), y.data(), 1.0f, {});
  EXPECT_EQ(y[0], 1.0f);
}

__global__ void writes(float* y) { *y = 1; }

TEST_F(Faults, ARefusedLaunchIsNoted) {
  call.begin();
  testing::internal::CaptureStderr();
  KB_LAUNCH((writes), (1, 32, 60672), y.data());
  const int line = __LINE__ - 1;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("NOTE REFUSED_LAUNCH launch of writes was refused: 60672 bytes of dynamic "
                      "shared memory, 48 KiB without cudaFuncSetAttribute"),
            said.npos)
      << said;
  EXPECT_NE(said.find("_test.cpp:" + std::to_string(line)), said.npos) << said;
}

}  // namespace
