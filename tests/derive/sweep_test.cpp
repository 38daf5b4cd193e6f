// One workload at other sizes.
#include "judge/derive/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

Definition swept() {
  return stored<Definition>(
             {{"name", "swept"},
              {"op_type", "test"},
              {"axes",
               {{"M", {{"type", "var"}}},
                {"K", {{"type", "var"}}},
                {"N", {{"type", "const"}, {"value", 8}}}}},
              {"inputs",
               {{"x", {{"shape", {"M", "K"}}, {"dtype", "float32"}}},
                {"w", {{"shape", {"N"}}, {"dtype", "float32"}}}}},
              {"outputs", {{"y", {{"shape", {"M"}}, {"dtype", "float32"}}}}},
              {"constraints", {"K % 4 == 0"}},
              {"reference", "import torch\n\ndef run(x, w):\n    return x.sum(1)\n"}})
      .record;
}

Stored<Trace> given(const json& x = {{"type", "random"}}) {
  return stored<Trace>({{"definition", "swept"},
                        {"workload",
                         {{"axes", {{"M", 2}, {"K", 4}}},
                          {"inputs", {{"x", x}, {"w", {{"type", "random"}}}}},
                          {"uuid", "given"}}},
                        {"solution", nullptr},
                        {"evaluation", nullptr}});
}

struct Swept {
  std::vector<Stored<Trace>> lines;
  std::vector<std::string> problems;

  std::vector<std::pair<std::int64_t, std::int64_t>> sizes() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (const auto& line : lines) {
      const auto& axes = line.record.workload.axes;
      out.emplace_back(*axes.find("M"), *axes.find("K"));
    }
    return out;
  }
};

Swept sweep(const std::vector<std::string>& words, const Stored<Trace>& line = given()) {
  Diagnostics problems;
  Swept out;
  const Sweep read = read_sweep(words, problems);
  if (problems.errors() == 0) out.lines = sweep_workloads(swept(), line, read, problems);
  for (const Diagnostic& one : problems.items())
    out.problems.push_back(one.hint.empty() ? one.message : one.message + " | " + one.hint);
  return out;
}

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(Sweep, EveryCombinationTheLastAxisFastest) {
  const Swept out = sweep({"M=1,8", "K=4,64"});
  EXPECT_EQ(out.sizes(), (Sizes{{1, 4}, {1, 64}, {8, 4}, {8, 64}}));
  EXPECT_TRUE(out.problems.empty());
}

TEST(Sweep, EachSizeHasAUuidThatFollowsFromIt) {
  const Swept out = sweep({"M=1,2,3"});
  const Swept again = sweep({"M=3"});
  std::set<std::string> uuids;
  for (const auto& line : out.lines) uuids.insert(line.record.workload.uuid);
  EXPECT_EQ(uuids.size(), 3U);
  EXPECT_EQ(out.lines[1].record.workload.uuid, "given");  // the sizes are its own
  EXPECT_EQ(out.lines[2].record.workload.uuid, again.lines[0].record.workload.uuid);
  EXPECT_EQ(again.lines[0].record.workload.uuid.size(), 36U);
}

TEST(Sweep, WrongWordsSayWhatIsWrong) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(sweep({"m=1"}).problems, (Problems{"swept has no axis m | did you mean \"M\"?"}));
  EXPECT_EQ(sweep({"batch=1"}).problems,
            (Problems{"swept has no axis batch | its var axes are K, M"}));
  EXPECT_EQ(sweep({"N=1"}).problems,
            (Problems{"axis N of swept is const 8: it has no other length | another length is "
                      "another Definition"}));
  for (const char* word : {"M", "M=", "M=1,", "M=x", "=1", "M=-1", "M=1.5"})
    EXPECT_EQ(sweep({word}).problems,
              (Problems{std::string("\"") + word +
                        "\" is no axis and its lengths | as in batch_size=1,8,64"}));
  EXPECT_EQ(sweep({"M=1,1"}).problems, (Problems{"\"M=1,1\": a length stands there twice"}));
  EXPECT_EQ(sweep({"M=1", "M=2"}).problems, (Problems{"\"M=2\": the axis stands there twice"}));
}

TEST(Sweep, AConstraintThatDoesNotHoldIsNamedAndTheOthersStay) {
  const Swept out = sweep({"K=4,6,8"});
  EXPECT_EQ(out.sizes(), (Sizes{{2, 4}, {2, 8}}));
  ASSERT_EQ(out.problems.size(), 1U);
  EXPECT_EQ(out.problems[0].rfind("K=6: constraint \"K % 4 == 0\" of swept is violated: K = 6", 0),
            0U)
      << out.problems[0];
}

TEST(Sweep, ASizeThatLeavesNothingToJudgeIsNoSize) {
  const Swept out = sweep({"M=0,3"});
  EXPECT_EQ(out.sizes(), (Sizes{{3, 4}}));
  EXPECT_EQ(out.problems,
            std::vector<std::string>{"M=0: no output has an element: nothing would be judged"});
  EXPECT_TRUE(sweep({"K=0"}).problems.empty());  // the sum of nothing is 0
}

TEST(Sweep, InputsFromFilesHaveOneLength) {
  const auto line = given({{"type", "safetensors"}, {"path", "a"}, {"tensor_key", "x"}});
  EXPECT_EQ(sweep({"K=8"}, line).problems,
            (std::vector<std::string>{
                "input x of workload given is from a file: its axis K has one length | sweep a "
                "workload whose inputs are random"}));
}

}  // namespace
}  // namespace kbench
