// Rules kernelbench and robust-kbench: torch.allclose as LibTorch itself has it, and the
// tolerances.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "problem/element.hpp"
#include "verdict/verdict.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

using ByteVector = std::vector<std::byte>;

ByteVector encoded(DType dtype, const std::vector<double>& values) {
  ByteVector bytes(storage_bytes(dtype, values.size()));
  encode(dtype, std::span<const double>(values), bytes.data(), 0);
  return bytes;
}

TensorView counted_view(DType dtype, std::int64_t count, const ByteVector& bytes) {
  return {dtype, {count}, bytes.data(), bytes.size()};
}

Verdict judge(const std::string& rule, const TensorView& output, const TensorView& reference,
              const Tolerance& tolerance = {}) {
  return find_rule(rule)->judge({"d", "gemm", tolerance}, std::span(&output, 1),
                                std::span(&reference, 1));
}

bool accepts(const std::string& rule, DType dtype, double output, double reference,
             const Tolerance& tolerance = {}) {
  const ByteVector x = encoded(dtype, {output}), y = encoded(dtype, {reference});
  return judge(rule, counted_view(dtype, 1, x), counted_view(dtype, 1, y), tolerance).status ==
         Status::passed;
}

TEST(Allclose, HasTheTolerancesOfEachRule) {
  EXPECT_TRUE(accepts("kernelbench", DType::float32, 1.00019, 1));
  EXPECT_FALSE(accepts("kernelbench", DType::float32, 1.00021, 1));
  EXPECT_TRUE(accepts("kernelbench", DType::float16, 1.0195, 1));
  EXPECT_FALSE(accepts("kernelbench", DType::float16, 1.03, 1));
  EXPECT_TRUE(accepts("kernelbench", DType::bfloat16, 1.0156, 1));
  EXPECT_FALSE(accepts("kernelbench", DType::bfloat16, 1.0234, 1));
  EXPECT_TRUE(accepts("robust-kbench", DType::float32, 1.000019, 1));
  EXPECT_FALSE(accepts("robust-kbench", DType::float32, 1.000021, 1));
  EXPECT_FALSE(accepts("robust-kbench", DType::bfloat16, 1.0078125, 1));
}

TEST(Allclose, TheUsersTolerancesHold) {
  const auto with = [](double atol, double rtol) { return Tolerance{atol, rtol, {}}; };
  for (const std::string rule : {"kernelbench", "robust-kbench"}) {
    EXPECT_TRUE(accepts(rule, DType::float32, 1.4, 1, with(0.5, 0)));
    EXPECT_FALSE(accepts(rule, DType::float32, 1.6, 1, with(0.5, 0)));
    EXPECT_TRUE(accepts(rule, DType::float32, 2, 1, with(0, 0.5)));  // 0.5 of the output, not of 1
    EXPECT_FALSE(accepts(rule, DType::float32, 1, 2, with(0, 0.5)));
    EXPECT_FALSE(accepts(rule, DType::float32, 1 + 0x1p-23, 1, with(0, 0)));
    EXPECT_TRUE(accepts(rule, DType::float32, 0.0, -0.0, with(0, 0)));
  }
  EXPECT_TRUE(accepts("robust-kbench", DType::float32, 1.1, 1, {0.2, {}, {}}));
}

TEST(Allclose, WhatIsNotANumberOrFinite) {
  for (const std::string rule : {"kernelbench", "robust-kbench"}) {
    EXPECT_TRUE(accepts(rule, DType::float32, inf, inf));
    EXPECT_FALSE(accepts(rule, DType::float32, inf, -inf));
    EXPECT_FALSE(accepts(rule, DType::float32, inf, 1));
    EXPECT_FALSE(accepts(rule, DType::float32, 1, -inf));
    EXPECT_FALSE(accepts(rule, DType::float32, nan, nan));
    EXPECT_FALSE(accepts(rule, DType::float32, nan, 0));
  }
}

TEST(Allclose, IntegersAreComparedAsFloat32) {
  EXPECT_FALSE(accepts("kernelbench", DType::int32, 6, 5));
  EXPECT_TRUE(accepts("kernelbench", DType::int32, 100001, 100000));
  EXPECT_TRUE(accepts("robust-kbench", DType::int64, 0x1p53 + 2, 0x1p53));
  EXPECT_FALSE(accepts("kernelbench", DType::boolean, 1, 0));
  const Tolerance none{0, 0, {}};
  EXPECT_FALSE(accepts("kernelbench", DType::int64, 0x1p53 + 2, 0x1p53, none));
}

TEST(Allclose, ShapeAndDtypeAndNumberOfOutputs) {
  const ByteVector a = encoded(DType::float32, {1, 2}), b = encoded(DType::float16, {1, 2});
  const TensorView x = counted_view(DType::float32, 2, a);
  EXPECT_EQ(judge("kernelbench", counted_view(DType::float16, 2, b), x).status,
            Status::incorrect_dtype);
  EXPECT_EQ(judge("kernelbench", {DType::float32, {2, 1}, a.data(), 8}, x).status,
            Status::incorrect_shape);
  EXPECT_EQ(find_rule("kernelbench")->judge({"d", "gemm", {}}, {}, std::span(&x, 1)).status,
            Status::incorrect_shape);
}

TEST(Allclose, SaysWhatIsWrong) {
  const ByteVector x = encoded(DType::float32, {1, 2.5, 3}), y = encoded(DType::float32, {1, 2, 3});
  const Verdict verdict =
      judge("kernelbench", counted_view(DType::float32, 3, x), counted_view(DType::float32, 3, y));
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.detail,
            "output 0: 1 of 3 elements are further off than atol 0.0001 + rtol 0.0001 x |output|; "
            "first at [1]: 2.5, reference 2");
  EXPECT_DOUBLE_EQ(verdict.correctness.max_absolute_error, 0.5);
}

// Pairs at and beside the limits of both rules, and all kinds of special ones: more than a block.
std::vector<std::pair<double, double>> pairs(DType dtype, double tolerance) {
  std::vector<std::pair<double, double>> out;
  std::uint64_t state = 1;
  const auto uniform = [&state] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  for (int i = 0; i < 1500; ++i) {
    const double y = uniform() * std::exp2(40 * uniform());
    const double limit = tolerance + tolerance * std::fabs(y);
    out.emplace_back(y, y + limit * (i % 2 == 0 ? 1 : -1) * (1 + 0.01 * uniform()));
    out.emplace_back(y, y * (1 + 0.1 * uniform()));
  }
  if (info(dtype).kind == DTypeKind::floating) {
    for (const double a : {inf, -inf, nan, 0.0, -0.0, 1.0, 3e38, -3e38, 65504.0, 1e-45})
      for (const double b : {inf, -inf, nan, 0.0, -0.0, 1.0, 3e38, -3e38, 65504.0, 1e-45})
        out.emplace_back(a, b);
  }
  return out;
}

std::string output_of(const std::string& command) {
  const std::string path = testing::TempDir() + "kbench_close_" + std::to_string(std::rand());
  EXPECT_EQ(std::system((command + " >" + path).c_str()), 0);
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return bytes;
}

TEST(Allclose, IsTorchsElementByElement) {
  const std::string oracle = std::string(KBENCH_BIN_DIR) + "/torch_allclose_oracle";
  if (!std::filesystem::exists(oracle))
    GTEST_SKIP() << "no LibTorch: torch_allclose_oracle is not built";
  const std::string input = testing::TempDir() + "kbench_close_in_" + std::to_string(std::rand());
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::int64,
                            DType::int32, DType::int16, DType::int8, DType::boolean}) {
    for (const double tolerance : {1e-2, 1e-4, 1e-5, 0.0}) {
      std::vector<double> a, b;
      for (const auto& [y, x] : pairs(dtype, tolerance)) {
        a.push_back(y);
        b.push_back(x);
      }
      const ByteVector reference = encoded(dtype, a), outputs = encoded(dtype, b);
      std::ofstream(input, std::ios::binary)
          .write(reinterpret_cast<const char*>(reference.data()), std::ssize(reference))
          .write(reinterpret_cast<const char*>(outputs.data()), std::ssize(outputs));
      const std::string name(info(dtype).name), text = std::to_string(tolerance);
      const std::string theirs =
          output_of(oracle + " " + name + " " + text + " " + text + " <" + input);
      ASSERT_EQ(theirs.size(), a.size());
      const std::size_t width = reference.size() / a.size();
      for (std::size_t i = 0; i < a.size(); ++i) {
        const TensorView x{dtype, {1}, outputs.data() + i * width, width};
        const TensorView y{dtype, {1}, reference.data() + i * width, width};
        const bool ours =
            judge("kernelbench", x, y, {tolerance, tolerance, {}}).status == Status::passed;
        ASSERT_EQ(ours, theirs[i] != 0) << name << " " << tolerance << ": " << a[i] << " " << b[i];
      }
    }
  }
  std::filesystem::remove(input);
}

}  // namespace
}  // namespace kbench
