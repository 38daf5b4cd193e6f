// Rule flashinfer-bench against recorded verdicts of FlashInfer-Bench and against cases of our own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problem/element.hpp"
#include "verdict/verdict.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

// A tensor that owns its bytes.
struct Tensor {
  Tensor(const std::vector<double>& values, DType dtype = DType::float32,
         std::vector<std::int64_t> shape = {-1}) {
    if (shape == std::vector<std::int64_t>{-1}) shape = {static_cast<std::int64_t>(values.size())};
    bytes.resize(storage_bytes(dtype, values.size()));
    encode(dtype, std::span<const double>(values), bytes.data(), 0);
    view = {dtype, shape, bytes.data(), bytes.size()};
  }
  std::vector<std::byte> bytes;
  TensorView view;
};

Verdict judge(const std::vector<Tensor>& outputs, const std::vector<Tensor>& reference,
              const VerdictContext& context = {"d", "gemm", {}}) {
  std::vector<TensorView> a, b;
  for (const Tensor& tensor : outputs) a.push_back(tensor.view);
  for (const Tensor& tensor : reference) b.push_back(tensor.view);
  return find_rule("flashinfer-bench")->judge(context, a, b);
}

double number(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number()) return value.get<double>();
  if (value == "Infinity") return inf;
  if (value == "-Infinity") return -inf;
  return nan;
}

Tensor tensor(const nlohmann::json& values, const std::string& dtype) {
  std::vector<double> numbers;
  for (const auto& value : values) numbers.push_back(number(value));
  return {numbers, find_dtype(dtype).value()};
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check(const nlohmann::json& vector) {
  const auto& cfg = vector["cfg"];
  VerdictContext context{"gemm", "gemm", {cfg["atol"], cfg["rtol"], {}}};
  if (!cfg["required_matched_ratio"].is_null()) {
    context.tolerance.required_matched_ratio = cfg["required_matched_ratio"].get<double>();
  }
  if (vector["evaluator"] == "lowbit") context.definition = "moe_fp8_block_scale_ds";
  std::vector<Tensor> output, reference;
  output.push_back(tensor(vector["output"], vector["output_dtype"]));
  reference.push_back(tensor(vector["reference"], vector["reference_dtype"]));
  const Verdict trial = judge(output, reference, context);
  for (const Verdict& verdict : {trial, combine(std::vector{trial})}) {
    EXPECT_EQ(status_name(verdict.status), vector["status"].get<std::string>());
    EXPECT_EQ(verdict.detail.empty(), verdict.status == Status::passed);
    if (!vector.contains("correctness")) continue;
    const auto& expected = vector["correctness"];
    EXPECT_TRUE(
        same(verdict.correctness.max_absolute_error, number(expected["max_absolute_error"])))
        << verdict.correctness.max_absolute_error;
    EXPECT_TRUE(
        same(verdict.correctness.max_relative_error, number(expected["max_relative_error"])))
        << verdict.correctness.max_relative_error;
    const auto extra = verdict.correctness.extra
                           ? nlohmann::json::parse(verdict.correctness.extra->text)
                           : nlohmann::json();
    EXPECT_EQ(extra, expected["extra"]);
  }
}

std::filesystem::path outside() {
  const char* folder = std::getenv("KBENCH_OUTSIDE");
  return folder != nullptr ? std::filesystem::path(folder)
                           : std::filesystem::path(KBENCH_SOURCE_DIR) / "../shared/outside";
}

TEST(FlashInferBenchRule, GivesTheRecordedVerdicts) {
  const auto path = outside() / "flashinfer-bench/vectors/numeric_vectors.jsonl";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "outside data is missing: " << path;
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto vector = nlohmann::json::parse(line);
    SCOPED_TRACE(vector["id"].get<std::string>() + " " + vector["label"].get<std::string>());
    check(vector);
  }
  EXPECT_GE(count, 16);
}

TEST(FlashInferBenchRule, BothErrorsMustBeBeyond) {
  EXPECT_EQ(judge({{{0.009}}}, {{{0.001}}}).status, Status::passed);    // absolute within
  EXPECT_EQ(judge({{{1000.5}}}, {{{1000.0}}}).status, Status::passed);  // relative within
  EXPECT_EQ(judge({{{1.02}}}, {{{1.0}}}).status, Status::incorrect_numerical);
}

TEST(FlashInferBenchRule, TheToleranceIsRoundedToFloat32) {
  // |0.1f - 0| is above 0.1 but equal to the float32 of it: torch compares in float32.
  const VerdictContext context{"d", "op", {0.1, 1e-6, {}}};
  EXPECT_EQ(judge({{{0.1F}}}, {{{0.0}}}, context).status, Status::passed);
}

TEST(FlashInferBenchRule, ANanInTheReferenceAcceptsAnything) {
  const Verdict verdict = judge({{{123, 1}}}, {{{nan, 1}}});
  EXPECT_EQ(verdict.status, Status::passed);
  EXPECT_EQ(verdict.correctness.max_absolute_error, 0);
  EXPECT_EQ(verdict.correctness.max_relative_error, 0);
}

TEST(FlashInferBenchRule, AnInfinityInTheReferenceAcceptsAnyNumber) {
  const Verdict verdict = judge({{{123}}}, {{{inf}}});
  EXPECT_EQ(verdict.status, Status::passed);
  EXPECT_EQ(verdict.correctness.max_absolute_error, inf);
  EXPECT_EQ(verdict.correctness.max_relative_error, 0);  // inf / inf is NaN
}

TEST(FlashInferBenchRule, MatchingInfinitiesAreRefused) {
  const Verdict verdict = judge({{{1, -inf}}}, {{{1, -inf}}});
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.correctness.max_absolute_error, inf);
  EXPECT_TRUE(verdict.ends_judging);
}

TEST(FlashInferBenchRule, InfinityGoesBeforeNan) {
  EXPECT_EQ(judge({{{nan, inf}}}, {{{1, 1}}}).correctness.max_absolute_error, inf);
  EXPECT_TRUE(std::isnan(judge({{{nan, 5}}}, {{{1, 1}}}).correctness.max_absolute_error));
}

TEST(FlashInferBenchRule, IntegersAreComparedAsFloat32) {
  Tensor a({0x1p53}, DType::int64), b({0x1p53 + 2}, DType::int64);
  EXPECT_EQ(judge({a}, {b}).status, Status::passed);
  EXPECT_EQ(judge({{{3}, DType::int32}}, {{{2}, DType::int32}}).status,
            Status::incorrect_numerical);
}

TEST(FlashInferBenchRule, ShapeGoesBeforeDtype) {
  const Verdict shape = judge({{{1, 2}, DType::float16}}, {{{1}, DType::float32}});
  EXPECT_EQ(shape.status, Status::incorrect_shape);
  EXPECT_EQ(shape.detail, "output 0: shape [2], expected [1]");
  const Verdict dtype = judge({{{1}, DType::float16}}, {{{1}, DType::float32}});
  EXPECT_EQ(dtype.status, Status::incorrect_dtype);
  EXPECT_EQ(dtype.detail, "output 0: dtype float16, expected float32");
  EXPECT_EQ(judge({{{1, 2}, DType::float32, {1, 2}}}, {{{1, 2}, DType::float32, {2, 1}}}).status,
            Status::incorrect_shape);
}

TEST(FlashInferBenchRule, ALaterShapeOverridesAnEarlierNumericalFailure) {
  EXPECT_EQ(judge({{{5}}, {{1, 2}}}, {{{1}}, {{1}}}).status, Status::incorrect_shape);
}

TEST(FlashInferBenchRule, MaximaGoOverAllOutputs) {
  const Verdict verdict = judge({{{1.5}}, {{13}}, {{2}}}, {{{1}}, {{10}}, {{2}}});
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.correctness.max_absolute_error, 3);
  EXPECT_EQ(verdict.correctness.max_relative_error, 0.5);
  EXPECT_EQ(verdict.detail.substr(0, 10), "output 0: ");
}

TEST(FlashInferBenchRule, SurplusOutputsAreNotLookedAt) {
  EXPECT_EQ(judge({{{1}}, {{99}}}, {{{1}}}).status, Status::passed);
}

TEST(FlashInferBenchRule, NamesTheWorstElement) {
  const Verdict verdict = judge({{{1, 2, 5, 9, 5, 6}, DType::float32, {2, 3}}},
                                {{{1, 2, 3, 4, 5, 6}, DType::float32, {2, 3}}});
  EXPECT_EQ(verdict.detail,
            "output 0: 2 of 6 elements are beyond atol 0.01 and rtol 0.01; worst at [1, 0]: 9, "
            "reference 4");
}

TEST(FlashInferBenchRule, NamesTheFirstNonFiniteElement) {
  const Verdict verdict =
      judge({{{1, 2, nan, inf}, DType::float32, {2, 2}}}, {{{1, 2, 3, 4}, DType::float32, {2, 2}}});
  EXPECT_NE(verdict.detail.find("nan at [1, 0], reference 3"), std::string::npos) << verdict.detail;
}

TEST(FlashInferBenchRule, LowBitNeedsNinetyFivePercentAndSaysHowMuch) {
  std::vector<double> output(20, 1), reference(20, 1);
  output[7] = 3;
  const VerdictContext context{"x_moe_fp8_block_scale_y", "moe", {}};
  const Verdict passed = judge({output}, {reference}, context);
  EXPECT_EQ(passed.status, Status::passed);
  EXPECT_EQ(passed.correctness.extra.value().text, "{\"matched_ratio\":0.95}");
  output[8] = 3;
  EXPECT_EQ(judge({output}, {reference}, context).status, Status::incorrect_numerical);
  EXPECT_EQ(judge({reference}, {reference}, context).correctness.extra.value().text,
            "{\"matched_ratio\":1.0}");
}

TEST(FlashInferBenchRule, LowBitFailuresThatEndTheJudgingHaveNoExtra) {
  const VerdictContext context{"moe_fp8_block_scale", "moe", {}};
  EXPECT_FALSE(judge({{{inf}}}, {{{1}}}, context).correctness.extra.has_value());
  EXPECT_FALSE(judge({{{1, 1}}}, {{{1}}}, context).correctness.extra.has_value());
}

TEST(FlashInferBenchRule, DsaSparseAttentionTakesOneOrTwoOutputs) {
  for (const char* name : {"dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps1",
                           "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64"}) {
    const VerdictContext context{name, "dsa_paged", {}};
    const Tensor one({1}), two({2}), wrong({9});
    EXPECT_EQ(judge({one}, {one, two}, context).status, Status::passed);
    EXPECT_EQ(judge({one, two}, {one, two}, context).status, Status::passed);
    EXPECT_EQ(judge({one, wrong}, {one, two}, context).status, Status::incorrect_numerical);
    EXPECT_EQ(judge({wrong}, {one, two}, context).status, Status::incorrect_numerical);
    EXPECT_EQ(judge({}, {one, two}, context).status, Status::incorrect_shape);
    EXPECT_EQ(judge({one, two, two}, {one, two}, context).status, Status::incorrect_shape);
    EXPECT_EQ(judge({one}, {one}, context).status, Status::runtime_error);
  }
  const VerdictContext other{"dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps2", "dsa_paged", {}};
  EXPECT_EQ(judge({}, {{{1}}, {{2}}}, other).status, Status::passed);  // no outputs to pair
}

TEST(FlashInferBenchRule, SaysWhatItDoesNotDo) {
  const Verdict verdict =
      judge({{{5}, DType::int32}}, {{{9}, DType::int32}}, {"top_k", "sampling", {}});
  EXPECT_NE(verdict.detail.find("distributions"), std::string::npos);
}

TEST(FlashInferBenchRule, EveryDtypeCanBeJudged) {
  for (const DTypeInfo& row : dtypes()) {
    const Tensor ones(std::vector<double>(33, 1), row.dtype),
        zeros(std::vector<double>(33, 0), row.dtype);
    EXPECT_EQ(judge({ones}, {ones}).status, Status::passed) << row.name;
    const Verdict wrong = judge({zeros}, {ones});
    EXPECT_EQ(wrong.status, Status::incorrect_numerical) << row.name;
    EXPECT_EQ(wrong.correctness.max_absolute_error, 1) << row.name;
  }
}

TEST(FlashInferBenchRule, ZeroDimensionalAndEmptyTensors) {
  EXPECT_EQ(judge({{{1}, DType::float32, {}}}, {{{1}, DType::float32, {}}}).status, Status::passed);
  EXPECT_EQ(judge({{{3}, DType::float32, {}}}, {{{1}, DType::float32, {}}}).status,
            Status::incorrect_numerical);
  EXPECT_EQ(judge({{{}, DType::float32, {0, 5}}}, {{{}, DType::float32, {0, 5}}}).status,
            Status::passed);
}

// The plainest form goes element by element, to set beside the blocked, threaded one.
TEST(FlashInferBenchRule, LargeTensorsAreTheSumOfTheirElements) {
  const std::size_t count = (1 << 20) + 4097;
  std::vector<double> output(count), reference(count);
  std::uint64_t beyond = 0;
  float max_absolute = 0, max_relative = 0;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    reference[i] = static_cast<float>(static_cast<double>(state >> 40) / 1e6 - 8);
    output[i] = reference[i];
    if (i % 5 == 0) output[i] += static_cast<double>(state >> 20 & 0xffff) * 1e-6;
    const auto x = static_cast<float>(output[i]), y = static_cast<float>(reference[i]);
    const float absolute = std::fabs(x - y), relative = absolute / (std::fabs(y) + 1e-8F);
    beyond += absolute > 0.01F && relative > 0.01F;
    max_absolute = std::max(max_absolute, absolute);
    max_relative = std::max(max_relative, relative);
  }
  ASSERT_GT(beyond, 0U);
  const double matched = 1.0 - static_cast<double>(beyond) / static_cast<double>(count);
  const VerdictContext enough{"moe_fp8_block_scale", "moe", {0.01, 0.01, matched}};
  const VerdictContext short_of{"d", "op", {0.01, 0.01, std::nextafter(matched, 1)}};
  const Verdict passed = judge({output}, {reference}, enough);
  EXPECT_EQ(passed.status, Status::passed);
  EXPECT_EQ(passed.matched_ratio.value(), matched);
  EXPECT_EQ(passed.correctness.max_absolute_error, max_absolute);
  EXPECT_EQ(passed.correctness.max_relative_error, max_relative);
  EXPECT_EQ(judge({output}, {reference}, short_of).status, Status::incorrect_numerical);
  output[count - 1] = nan;
  EXPECT_EQ(judge({output}, {reference}, enough).status, Status::incorrect_numerical);
}

Verdict trial(Status status, double absolute, double relative, bool ends = false) {
  Verdict verdict;
  verdict.status = status;
  verdict.correctness.max_absolute_error = absolute;
  verdict.correctness.max_relative_error = relative;
  verdict.ends_judging = ends;
  if (status != Status::passed) verdict.detail = "d";
  return verdict;
}

TEST(Combine, TakesMaximaAndRemembersAFailure) {
  const Verdict all =
      combine(std::vector{trial(Status::passed, 1, 5), trial(Status::incorrect_numerical, 3, 2),
                          trial(Status::passed, 2, 1)});
  EXPECT_EQ(all.status, Status::incorrect_numerical);
  EXPECT_EQ(all.correctness.max_absolute_error, 3);
  EXPECT_EQ(all.correctness.max_relative_error, 5);
  EXPECT_EQ(all.detail, "d");
}

TEST(Combine, TheFirstThatEndsTheJudgingStands) {
  const Verdict all = combine(std::vector{trial(Status::incorrect_numerical, 3, 2),
                                          trial(Status::incorrect_numerical, nan, nan, true),
                                          trial(Status::incorrect_shape, 0, 0, true)});
  EXPECT_EQ(all.status, Status::incorrect_numerical);
  EXPECT_TRUE(std::isnan(all.correctness.max_absolute_error));
}

TEST(Combine, TheSmallestMatchedRatioIsRecorded) {
  const VerdictContext context{"moe_fp8_block_scale", "moe", {0.01, 0.01, 0.5}};
  const Tensor right({1, 1, 1, 1}), wrong({1, 3, 1, 1});
  const Verdict all =
      combine(std::vector{judge({right}, {right}, context), judge({wrong}, {right}, context)});
  EXPECT_EQ(all.status, Status::passed);
  EXPECT_EQ(all.correctness.extra.value().text, "{\"matched_ratio\":0.75}");
}

TEST(Combine, ANanIsLostUnlessTheRuleHasAMargin) {
  std::vector<Verdict> trials{trial(Status::passed, 1, 5),
                              trial(Status::incorrect_numerical, nan, nan),
                              trial(Status::passed, 2, 1)};
  EXPECT_EQ(combine(trials).correctness.max_absolute_error, 2);
  for (Verdict& one : trials) one.margin = 0.5;
  EXPECT_TRUE(std::isnan(combine(trials).correctness.max_absolute_error));
  EXPECT_TRUE(std::isnan(combine(trials).correctness.max_relative_error));
}

TEST(Combine, NoTrialPasses) { EXPECT_EQ(combine({}).status, Status::passed); }

TEST(Rules, AreFoundByName) {
  EXPECT_NE(find_rule("flashinfer-bench"), nullptr);
  EXPECT_EQ(find_rule("flashinfer"), nullptr);
  EXPECT_EQ(verdict_rules().front().name, "kbench");
}

}  // namespace
}  // namespace kbench
