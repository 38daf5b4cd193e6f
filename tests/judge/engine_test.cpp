// Solutions that Google Benchmark times, by the real programs: they fail as they always do.
#include "judge/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "judge/hostile.hpp"
#include "judge/judge.hpp"
#include "judge/records.hpp"
#include "problem/worker_protocol.hpp"

namespace kbench {
namespace {

using nlohmann::json;

JudgeOptions by_google(Isolation isolation = best_isolation()) {
  JudgeOptions how;
  how.isolation = isolation;
  how.engine = Engine::google_benchmark;
  return how;
}

// Judges a copy; `meanwhile` runs before it in each call; `calls` counts them.
Evaluation judge_copy(const std::string& meanwhile, const JudgeOptions& how = by_google()) {
  const std::string source =
      "#include <cstdlib>\n#include \"kbench_ffi.h\"\nstatic int calls = 0;\n"
      "void copy(kbench::Tensor x, kbench::Tensor y) {\n  float more = 0;\n  ++calls;\n  " +
      meanwhile +
      "\n  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i] + "
      "more;\n}\n"
      "KBENCH_EXPORT(run, copy)\n";
  return judge_one(definition("copy", tensor_y, "x + 0"), solution("copies", "copy", true, source),
                   how);
}

class AtLevel : public testing::TestWithParam<Isolation> {};

TEST_P(AtLevel, TimesARightOneAndKeepsItsReport) {
  if (const std::string& why = missing_for(GetParam()); !why.empty()) GTEST_SKIP() << why;
  const Evaluation evaluation = judge_copy("", by_google(GetParam()));
  ASSERT_EQ(evaluation.status, Status::passed) << evaluation.log;
  EXPECT_EQ(evaluation.log, "") << "Google Benchmark could read what it reads of the machine";
  const Timing& timing = *evaluation.kbench->timing;
  EXPECT_EQ(timing.engine, "google-benchmark");
  EXPECT_EQ(timing.samples_ns.size(), 10U);
  EXPECT_FALSE(timing.null_ns.has_value());
  EXPECT_EQ(timing.serial, false);
  const json report = json::parse(timing.google_benchmark.value().text);
  EXPECT_GT(report.at("context").at("num_cpus"), 0);
  EXPECT_EQ(report.at("benchmarks")[0].at("real_time"), timing.samples_ns[0]);
  EXPECT_EQ(report.at("benchmarks")[0].at("iterations"), timing.calls_per_sample);
}

INSTANTIATE_TEST_SUITE_P(Engine, AtLevel,
                         testing::Values(Isolation::namespaces, Isolation::landlock,
                                         Isolation::limits),
                         [](const auto& info) { return std::string(letter(info.param)); });

TEST(Engine, HasAsManyRepetitionsAsIterationsAreAskedFor) {
  JudgeOptions how = by_google();
  how.config.iterations = 4;
  how.config.warmup_runs = 2;
  const Evaluation evaluation = judge_copy("", how);
  ASSERT_EQ(evaluation.status, Status::passed) << evaluation.log;
  EXPECT_EQ(evaluation.kbench->timing->samples_ns.size(), 4U);
}

TEST(Engine, FailuresWhileTimedAreNamedAsAlways) {
  const Evaluation crashed = judge_copy("if (calls == 50) *(volatile int*)8 = 1;");
  EXPECT_EQ(crashed.status, Status::runtime_error);
  EXPECT_EQ(crashed.kbench->cause, "CRASHED SIGSEGV while timed, in call 50: null pointer");
  const Evaluation refused = judge_copy("if (calls == 50) throw kbench::Error{\"E\", \"no\"};");
  EXPECT_EQ(refused.status, Status::runtime_error);
  EXPECT_EQ(refused.kbench->cause, "call 50 returned an error: E: no");
  const Evaluation left = judge_copy("if (calls == 50) std::_Exit(3);");
  EXPECT_EQ(left.kbench->cause, "EXITED with 3 while timed, in call 50");
  const Evaluation hung = judge_copy("while (calls == 50) asm volatile(\"\");");
  EXPECT_EQ(hung.status, Status::timeout);
  EXPECT_EQ(hung.kbench->cause, "time limit of 3.00 s while timed, in call 50");
}

TEST(Engine, WhatTheTimedCallsLeaveIsJudged) {
  const Evaluation evaluation = judge_copy("if (calls > 50) more = 1;");
  EXPECT_EQ(evaluation.status, Status::incorrect_numerical);
  EXPECT_NE(evaluation.kbench->cause.value().find("the outputs after the timed calls are wrong"),
            std::string::npos);
}

// The outputs are right from an earlier call where it should write them.
TEST(Engine, WhoStopsInTheTimedCallsIsCaughtByOneMore) {
  for (const JudgeOptions& how : {by_google(), JudgeOptions{}}) {
    const Evaluation evaluation = judge_copy("if (calls > 50) return;", how);
    EXPECT_EQ(evaluation.status, Status::incorrect_numerical);
    EXPECT_NE(evaluation.kbench->cause.value().find("UNWRITTEN"), std::string::npos);
  }
}

// Calls after these could write what the last one does not.
TEST(Engine, WhoRestsInMostTimedCallsIsSeenAsSoonAsTheLastIsOne) {
  int caught = 0;
  for (int i = 0; i < 6; ++i) {
    const Evaluation evaluation = judge_copy("if (calls > 50 && calls % 8 != 0) return;", {});
    caught += evaluation.status == Status::incorrect_numerical ? 1 : 0;
  }
  EXPECT_GE(caught, 1);  // each is caught with a chance of 7/8
}

// The candidate says in the midst of a call that the turn is over, with a report of its own.
TEST(Engine, GarbageInTheReportIsAProtocolError) {
  using worker::Control;
  const std::string source = fmt::format(
      R"(#include <cstring>
#include <unistd.h>
#include "kbench_ffi.h"
extern "C" int __tvm_ffi_run(void*, const kbench::Any* args, int32_t, kbench::Any* result) {{
  const auto* const from = static_cast<const kbench::DLTensor*>(args[0].as_pointer);
  const auto* const to = static_cast<const kbench::DLTensor*>(args[1].as_pointer);
  std::memcpy(to->data, from->data, sizeof(float) * from->shape[0]);
  char* const control = reinterpret_cast<char*>(from->shape) - {};
  uint64_t go;
  std::memcpy(&go, control + {}, sizeof go);
  if ((go & {}) == {}) {{
    const uint32_t many = 0xFFFFFFFF;
    std::memset(control + {}, '[', {});
    std::memcpy(control + {}, &many, sizeof many);
    std::memcpy(control + {}, &many, sizeof many);
    std::memcpy(control + {}, &go, sizeof go);
    const uint64_t one = 1;
    if (write({}, &one, sizeof one) > 0) sleep(100);
  }}
  *result = kbench::Any{{kbench::kNone, 0, {{0}}}};
  return 0;
}}
)",
      offsetof(Control, inputs) + offsetof(worker::Argument, shape), offsetof(Control, go),
      worker::turn_bits, static_cast<int>(worker::Turn::google_benchmark),
      offsetof(Control, report), sizeof(Control::report), offsetof(Control, report_size),
      offsetof(Control, sample_count), offsetof(Control, done), worker::done_fd);
  const Evaluation evaluation = judge_one(definition("copy", tensor_y, "x + 0"),
                                          solution("garbage", "copy", true, source), by_google());
  EXPECT_EQ(evaluation.status, Status::runtime_error);
  EXPECT_EQ(evaluation.kbench->cause,
            "PROTOCOL_ERROR: what Google Benchmark should have written makes no sense");
}

// Random bytes are written over what worker and judge share, by a candidate of tests/hostile. The
// judge goes on whatever it gets, and knows the right one.
TEST(Engine, SurvivesWhoScribblesOverWhatIsShared) {
  TraceSet set = hostile_set();
  std::erase_if(set.solutions, [](const auto& stored) {
    return stored.record.name != "hostile_right" &&
           stored.record.name != "hostile_scribbles_control";
  });
  const auto traces = judge(set, smallest_workloads(set), by_google());
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces.at("hostile_right").evaluation->status, Status::passed);
}

}  // namespace
}  // namespace kbench
