// A registry whose limit is set when it is compiled: a copy of it under another name.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#define KBENCH_MAX_KERNELS 1
#define kbench kbench_limited
#define kbench_registered_kernel kbench_limited_registered_kernel
#include "kbench/kbench_registry.cpp"
#undef kbench

namespace {

using namespace kbench_limited::kernels;

void function(KernelRuntimeContext&, Span<EValue*>) {}

TEST(LimitedRegistry, TakesAsManyAsItMay) {  // K16
  const Kernel kernels[] = {{"f", nullptr, &function, "a:1", "&function"},
                            {"g", nullptr, &function, "a:2"}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(static_cast<int>(try_register_kernels({kernels, 2})), 21);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kernel registration failed: the total number of kernels to be registered is larger "
            "than the limit 1: 0 are registered, 2 more are to be\n");
  EXPECT_FALSE(registry_has_op_function("f"));
  EXPECT_EQ(try_register_kernels({kernels, 1}), Error::Ok);  // the limit itself is fine
  EXPECT_TRUE(registry_has_op_function("f"));
  EXPECT_EQ(try_register_kernels({kernels + 1, 1}), Error::RegistrationExceedingMaxKernels);
}

// Entry points that "kbench kernels list --so" reads.
TEST(LimitedRegistry, IsListedOneByOne) {
  const Kernel kernel = {"f", nullptr, &function, "a:1", "&function"};
  try_register_kernels({&kernel, 1});  // does it where the other test has not run
  const char* texts[4] = {};
  ASSERT_EQ(kbench_registered_kernel(0, texts), 1);
  EXPECT_STREQ(texts[0], "f");
  EXPECT_EQ(texts[1], nullptr);
  EXPECT_STREQ(texts[2], "a:1");
  EXPECT_STREQ(texts[3], "&function");
  EXPECT_EQ(kbench_registered_kernel(1, texts), 0);
}

}  // namespace
