#include <cstring>

#include "base/system.hpp"
#include "judge/derive/sharded.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

// What the function is called with: every rank's output i, one after the other.
Problem stacked_problem(const Problem& whole, const Problem& local, std::size_t ranks) {
  Problem problem = whole;
  problem.inputs.clear();
  for (const TensorPlan& output : local.outputs) {
    InputPlan input{output, RandomInput{}};
    input.tensor.is_scalar = false;
    input.tensor.shape.insert(input.tensor.shape.begin(), static_cast<std::int64_t>(ranks));
    problem.inputs.push_back(std::move(input));
  }
  return problem;
}

Inputs stack(const Problem& stacked, const RankOutputs& ranks) {
  Inputs inputs;
  std::size_t end = 0;
  for (std::size_t i = 0; i < stacked.inputs.size(); ++i) {
    const TensorPlan& tensor = stacked.inputs[i].tensor;
    const std::size_t bytes = ranks.front()[i].bytes * ranks.size();
    const Placement placed = among_pages(bytes, page_bytes);
    inputs.values.push_back(
        {tensor.name, {}, {tensor.dtype, tensor.shape, nullptr, bytes}, end + placed.data, ""});
    end += placed.size;
  }
  inputs.memory = SharedMemory("kbench-stacked", end);
  for (std::size_t i = 0; i < inputs.values.size(); ++i) {
    BoundInput& input = inputs.values[i];
    std::byte* const data = inputs.memory.data() + input.offset;
    input.tensor.data = data;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      std::memcpy(data + rank * ranks[rank][i].bytes, ranks[rank][i].data, ranks[rank][i].bytes);
  }
  inputs.memory.seal_for_others();
  return inputs;
}

}  // namespace

std::optional<CandidateFailure> combine_by_entry(CandidatePlan plan, const Problem& whole,
                                                 const Problem& local, const RankOutputs& ranks,
                                                 Combined& out) {
  plan.scratch_inputs.clear();
  plan.configuration.runtime = {};  // these are of calls of the kernel
  const Problem stacked = stacked_problem(whole, local, ranks.size());
  const Inputs inputs = stack(stacked, ranks);
  SharedMemory stage("kbench stage", inputs.memory.size());
  stage.seal_for_others();
  PoisonedOutputs outputs(whole.outputs);
  CandidateProcess process(plan, stacked, inputs, stage, outputs);
  const auto failed = [](CandidateFailure failure) {
    failure.cause = "combine: " + failure.cause;
    return failure;
  };
  if (auto failure = process.load()) return failed(*failure);
  if (auto failure = process.call(inputs, fresh_secret())) return failed(*failure);
  if (auto failure = process.mismatch()) return failed(*failure);
  const auto left = process.outputs();
  for (std::size_t i = 0; i < left.size(); ++i)
    std::memcpy(out.memory[i].data(), left[i].data, left[i].bytes);
  return std::nullopt;
}

}  // namespace kbench
