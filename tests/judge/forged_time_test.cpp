// Candidates of tests/hostile that compute before their call, where that would pay: an audit's time
// of one is not much less than its twin's, which computes in its call.
#include <gtest/gtest.h>

#include <algorithm>

#include "judge/hostile.hpp"

namespace kbench {
namespace {

// It takes the largest workload of `definition`, in one run.
std::map<std::string, Trace> audited(const std::string& definition,
                                     const std::vector<std::string>& solutions) {
  TraceSet set = hostile_set();
  std::erase_if(set.solutions, [&](const Stored<Solution>& solution) {
    return std::find(solutions.begin(), solutions.end(), solution.record.name) == solutions.end();
  });
  std::erase_if(set.workloads, [&](const Stored<Trace>& workload) {
    return workload.record.definition != definition;
  });
  const auto largest = std::max_element(
      set.workloads.begin(), set.workloads.end(),
      [](const auto& one, const auto& other) { return size_of(one) < size_of(other); });
  JudgeOptions options;
  options.audit.emplace().sets = 16;
  options.threads = 1;
  return judge(set, {*largest}, options);
}

std::vector<std::string> with_twins() {
  std::vector<std::string> names;
  for (const auto& [name, row] : hostile_expectations().items()) {
    if (row["audit"].is_object() && row["audit"].contains("twin")) names.push_back(name);
  }
  return names;
}

class ForgedTime : public testing::TestWithParam<std::string> {};

// What a thief of a core takes from both makes them more alike: of those times the least counts.
TEST_P(ForgedTime, IsNotMuchLessThanItsTwins) {
  const nlohmann::json& all = hostile_expectations();
  const nlohmann::json& row = all[GetParam()];
  const std::string solution = row["solution"];
  const std::string twin = all[row["audit"]["twin"].get<std::string>()]["solution"];
  const auto traces = audited(row["definition"], {solution, twin});
  const auto least = [&](const std::string& name) {
    const Evaluation& evaluation = *traces.at(name).evaluation;
    EXPECT_EQ(evaluation.status, Status::passed) << evaluation.log;
    if (!evaluation.kbench->timing) return 0.0;
    const std::vector<double>& samples = evaluation.kbench->timing->samples_ns;
    return *std::min_element(samples.begin(), samples.end());
  };
  EXPECT_GE(least(solution), least(twin) / 2);
}

INSTANTIATE_TEST_SUITE_P(All, ForgedTime, testing::ValuesIn(with_twins()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kbench
