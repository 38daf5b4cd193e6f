// Solutions that are timed beside their reference.
#include "judge/timed_reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/records.hpp"
#include "schema/read.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

using nlohmann::json;

TEST(FastestStart, IsKeptForLaterRuns) {
  TempFolder folder;
  Cache cache(folder.path() / "cache", {1 << 20, 1 << 16});
  FastestStart first(&cache, "softmax");
  EXPECT_EQ(first.excess(2), 0);  // none is known yet
  for (const double log_ns : {2.0, 1.5, 3.0}) first.note(log_ns);
  EXPECT_NEAR(first.excess(1.8), 0.3, 1e-12);
  EXPECT_EQ(first.excess(1), 0);
  EXPECT_NEAR(FastestStart(&cache, "softmax").excess(2.5), 1, 1e-12);
  EXPECT_EQ(FastestStart(&cache, "another").excess(2.5), 0);
}

JudgeOptions beside(int threads = 1) {
  JudgeOptions how;
  how.times_reference = true;
  how.threads = threads;
  return how;
}

Stored<Solution> copies_each(const std::string& name, const std::string& more = "") {
  return solution(
      name, "copy", true,
      "#include \"kbench_ffi.h\"\n"
      "void copy(kbench::Tensor x, kbench::Tensor y) {\n"
      "  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i];\n" +
          more + "}\nKBENCH_EXPORT(run, copy)\n");
}

Stored<Solution> in_python(const std::string& name, const std::string& source) {
  return stored<Solution>({{"name", name},
                           {"definition", "copy"},
                           {"author", "test"},
                           {"spec",
                            {{"language", "python"},
                             {"target_hardware", {"cpu"}},
                             {"entry_point", "kernel.py::run"},
                             {"dependencies", json::array()},
                             {"destination_passing_style", false}}},
                           {"sources", {{{"path", "kernel.py"}, {"content", source}}}}});
}

// Expects a ratio, whatever else the machine does.
void expect_timed(const Evaluation& evaluation, const std::string& evaluator) {
  ASSERT_EQ(evaluation.status, Status::passed) << evaluation.log;
  const Timing& timing = *evaluation.kbench->timing;
  ASSERT_TRUE(timing.speedup);
  const SpeedupRecord& speedup = *timing.speedup;
  EXPECT_EQ(speedup.how, "in turn") << speedup.absent.value_or("");
  EXPECT_EQ(speedup.evaluator, evaluator);
  EXPECT_GE(speedup.pairs, 1);
  ASSERT_TRUE(timing.reference_samples_ns);
  EXPECT_GE(timing.reference_samples_ns->size(), static_cast<std::size_t>(speedup.pairs));
  ASSERT_TRUE(speedup.ratio);
  ASSERT_TRUE(speedup.interval);
  EXPECT_FALSE(speedup.absent);
  const Performance& performance = *evaluation.performance;
  EXPECT_GT(performance.latency_ms, 0);
  EXPECT_LE(speedup.interval->at(0), *speedup.ratio);
  EXPECT_GE(speedup.interval->at(1), *speedup.ratio);
  EXPECT_NEAR(performance.speedup_factor, performance.reference_latency_ms / performance.latency_ms,
              1e-9 * performance.speedup_factor);
}

TEST(TimedReference, OfACompiledSolutionRunsInLibTorch) {
  expect_timed(judge_one(definition("copy", tensor_y, "x + 0"), copies_each("c"), beside()),
               "libtorch");
}

TEST(TimedReference, OfASolutionInPythonRunsInPython) {
  expect_timed(judge_one(definition("copy", tensor_y, "x + 0"),
                         in_python("p", "def run(x):\n    return x + 0\n"), beside()),
               "python");
}

TEST(TimedReference, HasOneThreadOrAsManyAsTheSolution) {
  const Evaluation found =
      judge_one(definition("copy", tensor_y, "x + 0"), copies_each("c"), beside(2));
  expect_timed(found, "libtorch");
  const std::int64_t threads = found.kbench->timing->speedup->threads;
  EXPECT_TRUE(threads == 1 || threads == 2) << threads;
}

TEST(TimedReference, IsAuditedBesideAnAuditedSolution) {
  JudgeOptions how = beside();
  how.audit.emplace().sets = 12;
  const Evaluation found = judge_one(definition("copy", tensor_y, "x + 0"), copies_each("c"), how);
  expect_timed(found, "libtorch");
  EXPECT_EQ(found.kbench->timing->speedup->pairs, 12);
  EXPECT_EQ(found.kbench->timing->reference_samples_ns->size(), 12U);
}

TEST(TimedReference, TakesAsManySamplesAsItsSolution) {
  JudgeOptions how = beside();
  how.config.iterations = 7;
  const Evaluation found = judge_one(definition("copy", tensor_y, "x + 0"), copies_each("c"), how);
  expect_timed(found, "libtorch");
  EXPECT_EQ(found.kbench->timing->samples_ns.size(), 7U);
  EXPECT_EQ(found.kbench->timing->reference_samples_ns->size(), 7U);
}

// Solutions that were timed in turn with each other are timed beside it afterwards.
TEST(TimedReference, OfAContestIsTimedInTurnToo) {
  JudgeOptions how = beside();
  how.contest.emplace().budget_ns = 2e8;
  TraceSet set;
  set.definitions.push_back(definition("copy", tensor_y, "x + 0"));
  set.solutions.push_back(copies_each("a"));
  set.solutions.push_back(copies_each("b", "  asm volatile(\"\");\n"));
  const auto line = workload("copy");
  set.workloads.push_back(line);
  for (const auto& [name, trace] : judge(set, {line}, how)) {
    ASSERT_EQ(trace.evaluation->status, Status::passed) << trace.evaluation->log;
    ASSERT_TRUE(trace.evaluation->kbench->timing->speedup);
    EXPECT_EQ(trace.evaluation->kbench->timing->speedup->how, "in turn") << name;
    EXPECT_TRUE(trace.evaluation->kbench->timing->speedup->ratio) << name;
  }
}

// The failure stands as the reference's, and the solution has its time all the same.
TEST(TimedReference, MayFailWhereItIsCalledAgain) {
  Stored<Definition> once = stored<Definition>(
      {{"name", "copy"},
       {"op_type", "test"},
       {"axes", {{"N", {{"type", "var"}}}}},
       {"inputs", {{"x", {{"shape", {"N"}}, {"dtype", "float32"}}}}},
       {"outputs", tensor_y},
       {"reference",
        "import torch\n\ncalls = []\n\ndef run(x):\n    calls.append(1)\n"
        "    if len(calls) > 8:\n        raise RuntimeError(\"enough\")\n    return x + 0\n"}});
  const Evaluation found = judge_one(std::move(once), copies_each("c"), beside());
  ASSERT_EQ(found.status, Status::passed) << found.log;
  const SpeedupRecord& speedup = *found.kbench->timing->speedup;
  EXPECT_FALSE(speedup.ratio);
  EXPECT_EQ(speedup.absent.value_or("").rfind("the reference could not be timed: ", 0), 0U)
      << speedup.absent.value_or("");
  EXPECT_NE(speedup.absent.value_or("").find("enough"), std::string::npos);
  EXPECT_GT(found.performance->latency_ms, 0);
  EXPECT_EQ(found.performance->speedup_factor, 0);
  EXPECT_FALSE(found.kbench->timing->samples_ns.empty());
}

// A thread that works while the reference is timed slows it down, and would seem to be faster.
TEST(TimedReference, NobodyWorksWhileItIsTimed) {
  const Evaluation found = judge_one(
      definition("copy", tensor_y, "x + 0"),
      solution(
          "thief", "copy", true,
          "#include <thread>\n#include <atomic>\n#include \"kbench_ffi.h\"\n"
          "static std::atomic<long> calls{0};\n"
          "void copy(kbench::Tensor x, kbench::Tensor y) {\n"
          "  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i];\n"
          "  if (++calls == 2000)\n"
          "    std::thread([] { for (;;) asm volatile(\"\"); }).detach();\n"
          "}\nKBENCH_EXPORT(run, copy)\n"),
      beside());
  EXPECT_EQ(found.status, Status::runtime_error) << found.log;
  EXPECT_NE(found.log.find("BACKGROUND_WORK"), std::string::npos) << found.log;
}

TEST(TimedReference, IsNotTimedWhereNobodyAsks) {
  JudgeOptions how = beside();
  how.times_reference = false;
  const Evaluation found = judge_one(definition("copy", tensor_y, "x + 0"), copies_each("c"), how);
  ASSERT_EQ(found.status, Status::passed) << found.log;
  EXPECT_FALSE(found.kbench->timing->reference_samples_ns);
  EXPECT_EQ(found.kbench->timing->speedup->absent, "--no-profile-baseline");
}

TraceSet set_of(std::initializer_list<const char*> definitions) {
  TraceSet set;
  for (const char* name : definitions) {
    Definition definition;
    definition.name = name;
    definition.reference = "def run(x):\n    return x\n";
    set.definitions.push_back({definition, std::string(name) + ".json", 0});
  }
  return set;
}

TEST(CompiledReference, IsThereForEachDefinition) {
  TraceSet set = set_of({"a", "b"});
  for (const std::string_view name : names_of_references) add_references(name, set);
  ASSERT_EQ(set.solutions.size(), 4U);
  Trace record;
  record.definition = "b";
  for (const char* name : {"reference", "torch-compile"}) {
    record.solution = name;
    ASSERT_NE(set.solution_of(record), nullptr);
    EXPECT_EQ(set.solution_of(record)->definition, "b");
    EXPECT_EQ(set.solution_of(record)->is_compiled_reference, record.solution == "torch-compile");
  }
  record.definition = "c";
  EXPECT_EQ(set.solution_of(record), nullptr);
}

TEST(CompiledReference, IsAnotherProgramWithAnotherTorch) {
  const Definition definition = set_of({"a"}).definitions.front().record;
  std::vector<std::string> hashes;
  for (const char* minor : {"14", "15"}) {
    const TempFolder torch;
    torch.write("lib/libtorch_cpu.so", "");
    torch.write("include/torch/headeronly/version.h",
                std::string("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR ") + minor +
                    "\n#define TORCH_VERSION_PATCH 0\n");
    ::setenv("KBENCH_TORCH", torch.path().c_str(), 1);
    const Solution solution = solution_of_reference("torch-compile", definition);
    ::unsetenv("KBENCH_TORCH");
    EXPECT_EQ(solution.spec.dependencies,
              std::vector<std::string>{std::string("torch==2.") + minor + ".0"});
    hashes.push_back(solution_hash(solution));
  }
  EXPECT_NE(hashes[0], hashes[1]);
}

constexpr const char* claims =
    R"("definition": "a", "is_compiled_reference": true,
       "spec": {"language": "python", "target_hardware": ["cpu"], "entry_point": "m.py::run",
                "is_compiled_reference": true, "compiler": "g++"},
       "sources": [{"path": "m.py", "content": "def run(x): ..."}]})";

TEST(CompiledReference, LeavesItsNameToNobody) {
  for (const auto& [name, author] : {std::pair("torch-compile", "x"),
                                     {"x", "torch-compile"},
                                     {"reference", "x"},
                                     {"x", "reference"}}) {
    const std::string text =
        std::string(R"({"name": ")") + name + R"(", "author": ")" + author + R"(", )" + claims;
    Diagnostics problems;
    EXPECT_FALSE(read_text<Solution>({"s.json", text}, {}, problems));
    ASSERT_EQ(problems.errors(), 1U) << text;
    EXPECT_NE(problems.items().front().message.find("the name \""), std::string::npos);
  }
}

TEST(CompiledReference, IsNothingThatAFileSays) {
  Diagnostics problems;
  const auto read = read_text<Solution>(
      {"s.json", std::string(R"({"name": "x", "author": "x", )") + claims}, {}, problems);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->is_compiled_reference);
}

}  // namespace
}  // namespace kbench
