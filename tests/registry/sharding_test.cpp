// Words of a sidecar about a Solution's cut.
#include "kernels/registry/sharding.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/sidecar.hpp"
#include "support/said.hpp"

namespace kbench {
namespace {

using ReadSharding = ReadText<std::vector<DeclaredSharding>>;

ReadSharding read_sharding(const std::string& text) {
  Diagnostics out;
  return {read_sidecar({"kbench.yaml", text}, out).shardings, text_of(out)};
}

TEST(Sharding, IsReadInItsOrder) {
  const ReadSharding r = read_sharding(
      "shard:\n  - {axis: M, combine: concat}\n"
      "  - axis: [M, N]\n    ranks: 4\n    tensors: {C: N, B: replicated}\n");
  EXPECT_EQ(r.messages, "");
  ASSERT_EQ(r.value.size(), 2U);
  EXPECT_EQ(r.value[0].axes, std::vector<std::string>{"M"});
  EXPECT_EQ(r.value[0].combine, "concat");
  EXPECT_FALSE(r.value[0].ranks);
  EXPECT_EQ(r.value[0].where.line, 2);
  EXPECT_EQ(r.value[1].axes, (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(r.value[1].combine, "");
  EXPECT_EQ(r.value[1].ranks, 4);
  EXPECT_EQ(*r.value[1].tensors.find("C"), "N");
  EXPECT_EQ(*r.value[1].tensors.find("B"), "replicated");
}

TEST(Sharding, AbsentIsNone) { EXPECT_TRUE(read_sharding("priority: 1\n").value.empty()); }

TEST(Sharding, WhatIsWrongHasItsPlace) {
  EXPECT_EQ(read_sharding("shard: M\n").messages,
            "1:8: must be a list of ways to shard, not 'M' (as in shard: [{axis: M, combine: "
            "concat}])\n");
  EXPECT_EQ(read_sharding("shard:\n  - {combine: sum}\n").messages,
            "2:5: axis must name what is cut\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: M, combin: sum}\n").messages,
            "2:15: unknown key \"combin\" (did you mean \"combine\"?)\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: 3}\n").messages,
            "2:12: must be an axis, or a list of axes, not 3\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: M, combine: summ}\n").messages,
            "2:24: \"summ\" is no way to combine outputs (did you mean \"sum\"?)\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: M, combine: 3}\n").messages,
            "2:24: must be a way to combine outputs, not 3\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: M, ranks: 0}\n").messages,
            "2:22: must be a number of ranks, not 0\n");
  EXPECT_EQ(read_sharding("shard:\n  - {axis: M, tensors: [C]}\n").messages.substr(0, 51),
            "2:24: must be a map from tensors to axes, not [\"C\"]");
}

TEST(Sharding, WhatTheDefinitionDoesNotHaveIsSaidWhereTheAxisIs) {
  Definition gemm;
  gemm.name = "gemm";
  for (const char* axis : {"M", "N", "K"}) gemm.axes[axis] = AxisVar{};
  for (const char* input : {"A", "B"}) gemm.inputs[input] = {};
  gemm.outputs["C"] = {};
  Diagnostics out;
  check_shardings(read_sharding("shard:\n  - {axis: M, tensors: {A: replicated, C: N}}\n"
                                "  - {axis: [M, k, M]}\n"
                                "  - {axis: K, tensors: {sums: rows}}\n")
                      .value,
                  gemm, out);
  EXPECT_EQ(text_of(out),
            "3:12: axis M is named twice\n"
            "3:12: gemm has no axis k (did you mean \"K\"?)\n"
            "3:12: axis M is named twice\n"
            "4:12: gemm has no tensor sums (its tensors are A, B, C)\n"
            "4:12: gemm has no axis rows (its axes are M, N, K)\n");
}

}  // namespace
}  // namespace kbench
