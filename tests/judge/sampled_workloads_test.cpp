// Workloads that kbench makes up are run by the references they are for: every index in range, no
// output that is all zeros or NaN. A sample of the definitions here and in the outside data is run;
// all of them under KBENCH_FULL=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.hpp"
#include "problem/bind.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/sample_workload.hpp"
#include "problem/element.hpp"
#include "reference/evaluator.hpp"
#include "schema/read.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr double largest_inputs = 2e9;  // bytes

// Definitions, one of each way in which a reference takes indices.
const std::set<std::string> sample = {
    "dsa_sparse_attention_h16_ckv512_kpe64_topk256_ps1",
    "embedding_v128256_d4096_fp8e4m3",
    "gdn_mtp_qk8_v16_d128_k_last",
    "gdn_prefill_qk4_v8_d128_k_last",
    "gqa_paged_decode_h20_kv4_d128_ps64",
    "gqa_paged_prefill_causal_h5_kv1_d128_ps64",
    "gqa_ragged_prefill_causal_h5_kv1_d128",
    "mamba_ssu_decode_h64_d64_s128_ng4",
    "mla_paged_decode_h16_ckv512_kpe64_ps1",
    "nsa_sparse_decode_h16_ckv512_kpe64_topk256_ps1",
    "rope_neox_h32_kv8_d128",
    "rope_with_cos_sin_cache_neox_style_d128_rd64",
    "sampling_multinomial_v128256",
    "top_k_top_p_sampling_from_probs_v202048",
    "trtllm_fp4_block_scale_routed_moe_topk2_e8_h2048_i1024",
};

// Reasons why a definition has no part in it; each is said when all are run.
const std::map<std::string, std::string> exceptions = {
    {"moe_batched_e128_h2048_i768_topk8", "its reference returns zeros"},
    {"moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
     "most of its few tokens choose experts of other ranks"},
    {"moe_fp8_per_tensor_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
     "most of its few tokens choose experts of other ranks"},
    {"rmsnorm_h4096_mxfp4", "torch converts no float4"},
    {"silu_h14336_mxfp4", "torch converts no float4"},
};

struct Found {
  fs::path path;
  Definition definition;
};

std::vector<Found> definitions() {
  std::vector<Found> found;
  std::set<std::string> names;
  for (const fs::path& root :
       {outside_folder() / "small" / "definitions", outside_folder() / "traceset" / "definitions",
        outside_folder() / "more_definitions", fs::path(KBENCH_SOURCE_DIR) / "definitions"}) {
    if (!fs::exists(root)) continue;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      Diagnostics ignored;
      auto definition = read_text<Definition>({path, read_file(path)}, {}, ignored);
      if (definition && names.insert(definition->name).second)
        found.push_back({path, std::move(*definition)});
    }
  }
  return found;
}

bool wanted(const Definition& definition) {
  return std::getenv("KBENCH_FULL") != nullptr || sample.contains(definition.name);
}

double input_bytes(const Problem& problem) {
  double bytes = 0;
  for (const InputPlan& input : problem.inputs)
    bytes +=
        static_cast<double>(storage_bytes(input.tensor.dtype, element_count(input.tensor.shape)));
  return bytes;
}

// Returns "" when the outputs say something, else why they do not.
std::string trivial(const Definition& definition, const ReferenceAnswer& answer) {
  for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
    const TensorView& output = answer.outputs[i];
    std::vector<double> values(element_count(output.shape));
    decode(output.dtype, output.data, 0, std::span(values));
    const auto zeros = std::count(values.begin(), values.end(), 0.0);
    const auto bad = std::count_if(values.begin(), values.end(), [](double v) { return v != v; });
    const std::string& name = definition.outputs.items[i].first;
    if (bad > 0) return fmt::format("{} has {} of {} NaN", name, bad, values.size());
    if (2 * zeros > std::ssize(values) && values.size() > 16)
      return fmt::format("{} has {} of {} zero", name, zeros, values.size());
  }
  return "";
}

class SampledWorkloads : public testing::Test {
 protected:
  // Returns "" when the reference takes the workload, else why not; "-…": there is nothing to run.
  std::string run(const Definition& definition) {
    const Workload workload = sample_workload(definition, {});
    Diagnostics problems;
    const auto problem = bind(definition, workload, Place(), problems);
    if (problem && input_bytes(*problem) > largest_inputs) return "-too large";
    // Python evaluates what LibTorch does not take of the sample.
    const ReferenceAnswer compiled = evaluator_.compile(definition);
    if (compiled.outcome != ReferenceAnswer::Outcome::ok && !sample.contains(definition.name))
      return "-does not compile";
    if (!problem) return problems.items().front().message;
    const ValuePlan plan = plan_values(definition, *problem, Place(), problems);
    if (problems.errors() > 0) return problems.items().front().message;
    const Inputs inputs = generate_inputs(*problem, plan, {}, problems);
    if (problems.errors() > 0) return problems.items().front().message;
    const ReferenceAnswer answer = evaluator_.evaluate(definition, *problem, inputs, {});
    if (answer.outcome != ReferenceAnswer::Outcome::ok)
      return fmt::format("line {}: {}", answer.line, answer.message.substr(0, 300));
    return trivial(definition, answer);
  }

  std::atomic<bool> never_{false};
  ReferenceEvaluator evaluator_{fs::path(KBENCH_BIN_DIR) / "kbench-torch", {}, 2, never_};
};

TEST_F(SampledWorkloads, AreTakenByTheirReferences) {
  KBENCH_NEEDS_OUTSIDE();
  int good = 0;
  std::map<std::string, int> skipped;
  for (const Found& found : definitions()) {
    if (!wanted(found.definition)) continue;
    const std::string why = run(found.definition);
    if (why.starts_with("-")) {
      ++skipped[why.substr(1)];
      if (sample.contains(found.definition.name))
        ADD_FAILURE() << found.definition.name << why << ", of the sample";
    } else if (why.empty()) {
      ++good;
    } else if (const auto known = exceptions.find(found.definition.name);
               known != exceptions.end()) {
      ++skipped[known->second];
    } else {
      ADD_FAILURE() << found.definition.name << ": " << why;
    }
  }
  fmt::print("{} references took a sampled workload\n", good);
  for (const auto& [why, count] : skipped) fmt::print("{} {}\n", count, why);
  EXPECT_GE(good, static_cast<int>(sample.size()));
}

}  // namespace
}  // namespace kbench
