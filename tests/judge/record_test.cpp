#include "judge/record.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "problem/data/safetensors.hpp"
#include "schema/read.hpp"
#include "schema/record_signature.hpp"
#include "schema/to_json.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

struct Case {
  Definition definition;
  Solution solution;
  Stored<Trace> workload;
  RunOptions options;

  Case() {
    definition.name = "norm";
    definition.op_type = "rmsnorm";
    solution.name = "mine";
    solution.definition = "norm";
    solution.sources = {{"kernel.cpp", "void run() {}", {}}};
    workload.record.definition = "norm";
    workload.record.workload.uuid = "w";
    workload.record.workload.axes["n"] = 4;
    options.config = default_config();
    options.rule = "kbench";
    options.seed = 7;
  }

  Job job() const { return {&definition, &workload, {&solution}}; }
  Recorder recorder() const {
    Recorder out(options, ".");
    out.set_compiler("g++ 12");
    out.set_torch_version("2.15.0");
    return out;
  }
  Trace record() const {
    Trace trace = workload.record;
    trace.solution = solution.name;
    trace.evaluation = Evaluation{};
    trace.evaluation->kbench = Details{};
    trace.evaluation->kbench->trust = "plain";
    trace.evaluation->timestamp = "2026-01-02T03:04:05";
    recorder().stamp(*trace.evaluation, job(), solution);
    trace.evaluation->kbench->digest = record_digest(trace);
    return trace;
  }
  bool stands(const Trace& record) const {
    return recorder().stands(*record.evaluation, job(), solution);
  }
};

TEST(Record, StandsUntilSomethingThatItRestsOnIsAnother) {
  const Trace record = Case().record();
  EXPECT_TRUE(Case().stands(record));
  const std::function<void(Case&)> changes[] = {
      [](Case& c) { c.definition.reference += " "; },
      [](Case& c) { c.solution.sources[0].content += " "; },
      [](Case& c) { c.solution.spec.compile_flags = {{"-O1"}}; },
      [](Case& c) { c.workload.record.workload.axes["n"] = 5; },
      [](Case& c) { c.options.seed = 8; },
      [](Case& c) { c.options.rule = "flashinfer-bench"; },
      [](Case& c) { c.options.config.rtol = 0.5; },
      [](Case& c) { c.options.config.num_trials = 3; },  // kbench chose it before, now it is given
      [](Case& c) { c.options.judge.threads = 2; },
      [](Case& c) { c.options.judge.engine = "google-benchmark"; },
      [](Case& c) { c.options.config.timeout_seconds = 1; },
      [](Case& c) { c.options.worker_limits.isolation = Isolation::namespaces; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    Case changed;
    changes[i](changed);
    EXPECT_FALSE(changed.stands(record)) << i;
  }
  const Case same;
  Recorder compiler = same.recorder();
  compiler.set_compiler("g++ 13");
  EXPECT_FALSE(compiler.stands(*record.evaluation, same.job(), same.solution));
  Recorder torch = same.recorder();
  torch.set_torch_version("2.16.0");
  EXPECT_FALSE(torch.stands(*record.evaluation, same.job(), same.solution));
}

// A configurator that chooses nothing, and has a function called before the calls, and conditions.
class Prepares : public Configurator {
 public:
  explicit Prepares(std::string function, std::string conditions = "")
      : function_(std::move(function)), conditions_(std::move(conditions)) {}
  std::vector<Job> configured(const TraceSet&, std::vector<Job> jobs, const Toolchain&,
                              Diagnostics&) override {
    return jobs;
  }
  std::optional<ConfigurationRecord> record_of(const Job&, const Solution&) const override {
    return std::nullopt;
  }
  std::string prepare_of(const Solution&) const override { return function_; }
  std::string conditions_of(const Solution&) const override { return conditions_; }
  std::string refusal(const Solution&) const override { return ""; }
  std::string unsupported(const Job&, const Solution&) const override { return ""; }

 private:
  std::string function_, conditions_;
};

// The function stands in a sidecar, which is no part of the solution.
TEST(Record, RestsOnWhatItWasPreparedBy) {
  const auto prepared_by = [](const std::string& function, const std::string& conditions = "") {
    Case one;
    one.options.configurator = std::make_shared<Prepares>(function, conditions);
    return one;
  };
  const Trace record = prepared_by("setup").record();
  EXPECT_EQ(record.evaluation->kbench->basis->prepare, "setup");
  EXPECT_TRUE(prepared_by("setup").stands(record));
  EXPECT_FALSE(prepared_by("other").stands(record));
  EXPECT_FALSE(prepared_by("").stands(record));
  EXPECT_FALSE(prepared_by("setup", "n > 4").stands(record));
  const Trace plain = prepared_by("").record();
  EXPECT_EQ(plain.evaluation->kbench->digest, Case().record().evaluation->kbench->digest);
  EXPECT_EQ(to_json(plain, Dump::full).find("prepare"), std::string::npos);
}

TEST(Record, AnotherProgramsStandsAndAnEarlierKbenchsDoesNot) {
  Trace record = Case().record();
  record.evaluation->kbench->basis.reset();
  EXPECT_FALSE(Case().stands(record));
  record.evaluation->kbench.reset();
  EXPECT_TRUE(Case().stands(record));
}

TEST(Record, WhereNothingIsCompiledTheCompilerDoesNotCount) {
  Case python;
  python.solution.spec.language = Language::python;
  const Trace record = python.record();
  Recorder other = python.recorder();
  other.set_compiler("g++ 13");
  EXPECT_TRUE(other.stands(*record.evaluation, python.job(), python.solution));
}

TEST(Record, AChangedByteIsAnotherDigestAndReadingIsNot) {
  const Trace record = Case().record();
  const std::string line = to_json(record, Dump::full);
  Diagnostics problems;
  const auto again = read_text<Trace>({"t.jsonl", line}, {}, problems);
  ASSERT_TRUE(again) << render(problems.items().front(), false);
  EXPECT_EQ(record_digest(*again), *record.evaluation->kbench->digest);
  Trace changed = *again;
  changed.evaluation->status = Status::passed;
  EXPECT_NE(record_digest(changed), *record.evaluation->kbench->digest);
}

TEST(Record, AWorkloadIsItsTensorsToo) {
  const TempFolder root;
  Workload workload;
  SafetensorsInput input;
  input.path = "x.safetensors";
  input.tensor_key = "x";
  workload.inputs["x"] = input;
  const std::string absent = content_hash(workload, root.path());
  float values[2] = {1, 2};
  const NamedTensor tensor{
      "x", {DType::float32, {2}, reinterpret_cast<const std::byte*>(values), sizeof values}};
  write_safetensors(root.path() / input.path, std::span(&tensor, 1));
  const std::string first = content_hash(workload, root.path());
  values[1] = 3;
  write_safetensors(root.path() / input.path, std::span(&tensor, 1));
  EXPECT_NE(first, absent);
  EXPECT_NE(content_hash(workload, root.path()), first);
}

TEST(Record, ItsSettingsAreARunsAgain) {
  Case told;
  told.options.config.rtol = 0.125;
  told.options.config.num_trials = 2;
  told.options.config.op_type_config["rmsnorm"].atol = 0.25;
  told.options.config.timeout_seconds = 9;
  told.options.config.profile_baseline = false;
  told.options.judge.threads = 3;
  told.options.judge.engine = "google-benchmark";
  const Trace record = told.record();
  Case again;
  ASSERT_TRUE(apply_settings(record, again.options));
  EXPECT_EQ(again.record().evaluation->kbench->digest, record.evaluation->kbench->digest);
  EXPECT_EQ(again.options.worker_limits.call_seconds, 9);
  EXPECT_EQ(engine_of(again.options.judge), Engine::google_benchmark);
  EXPECT_EQ(again.options.worker_limits.threads, 3);
  Trace without = record;
  without.evaluation->kbench->settings.reset();
  EXPECT_FALSE(apply_settings(without, again.options));
}

}  // namespace
}  // namespace kbench
