// The reference of a workload as one that is timed: in a process that is started, called and timed
// as those of candidates are, so that a speed-up compares like with like.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "judge/evaluate.hpp"
#include "judge/judgement.hpp"
#include "measure/in_turn.hpp"
#include "problem/reference_protocol.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// The reference's text as a Solution that a host imports.
Solution reference_solution(const Definition& definition);

// Hosts that references run in to be timed.
struct ReferenceHosts {
  CandidateHost* libtorch = nullptr;
  CandidateHost* python = nullptr;
  CandidateHost* gpu = nullptr;  // null: none is timed on a GPU
  Cache* times = nullptr;        // cache of the fastest starts
  std::string what = {};         // the reference and its LibTorch
  // Puts the text of the reference where a host finds it.
  std::function<BuildResult()> build;
};

// The fastest start of one program since the machine was booted, of this run and earlier ones. A
// start that takes longer shows how much other programs, or the other threads of its core, take.
class FastestStart {
 public:
  FastestStart() = default;
  // Keeps it in `cache`, where there is one.
  FastestStart(Cache* cache, const std::string& what);

  void note(double log_ns);
  // ln(`log_ns`'s time / the fastest), at least 0.
  double excess(double log_ns) const { return std::max(0.0, log_ns - log_ns_); }

 private:
  Cache* cache_ = nullptr;
  std::string key_;
  double log_ns_ = INFINITY;
};

class TimedReference {
 public:
  // `plan`: how its processes are started.
  TimedReference(const PreparedWorkload& workload, SharedMemory& stage, CandidatePlan plan,
                 Evaluator evaluator, const EvaluateOptions& options);

  Evaluator evaluator() const { return evaluator_; }
  int threads() const { return plan_.limits.threads; }
  // Gives it the cores of the one that it is timed beside, from now on.
  void share(const CoreSplit& cores);
  // Reason why it failed; "" while it works. It is of no use after that.
  const std::string& failure() const { return failure_; }
  bool works();
  bool is_on_gpu() const { return plan_.gpu.has_value(); }

  // A start's epochs, beside others that are timed in turn with it, and its pace where it was timed
  // before. Starts stay, each with memory of its own: the solutions of a workload meet the same
  // ones. Nothing where it fails.
  std::optional<TimedSide> begin_timing(std::size_t start);
  void know_pace(std::size_t start, const Pace& pace) { starts_[start].pace = pace; }
  FastestStart& fastest() { return fastest_; }
  const CandidatePlan& plan() const { return plan_; }
  // Makes one audited call; nanoseconds.
  std::optional<double> audit(const Trial& trial);
  // Rough time of an audited call on `trial`; nanoseconds.
  std::optional<double> probe_ns(const Trial& trial);

 private:
  struct Start {
    std::unique_ptr<Judgement> judgement;
    RunEpochs run = nullptr;  // nothing before it is timed
    std::optional<Pace> pace = {};
  };
  bool add_start();
  bool check(Judgement& judgement);

  const PreparedWorkload& workload_;
  SharedMemory& stage_;
  CandidatePlan plan_;
  Evaluator evaluator_;
  const EvaluateOptions& options_;
  std::vector<Start> starts_;
  FastestStart fastest_;
  std::string failure_;
};

// References that the solutions of one workload are timed beside: each evaluator's is started when
// it is asked for first, with one thread and with as many as a solution may have; the faster one
// stays.
class TimedReferences {
 public:
  // All of these outlive it.
  TimedReferences(const PreparedWorkload& workload, SharedMemory& stage, ReferenceHosts hosts,
                  const EvaluateOptions& options);

  struct Found {
    TimedReference* reference = nullptr;
    std::string absent;  // reason why there is none
  };
  // A candidate that is called from Python is timed beside a reference that is, too; any other one
  // beside LibTorch, where that runs the reference. One on a GPU is timed beside a reference in
  // Python on the same GPU.
  Found beside(const CandidatePlan& candidate);
  // Returns the fastest start of a program on this workload.
  FastestStart fastest_of(const CandidatePlan& plan) const;

 private:
  struct Entry {
    std::unique_ptr<TimedReference> reference;
    std::string absent;
  };
  const Entry& entry_for(const CandidatePlan& candidate);
  Entry kept(Entry entry) const;  // knows its fastest start
  Entry start(Evaluator evaluator);
  Entry start_on(const GpuPlan& gpu);
  CandidatePlan plan_of(const BuildResult& text, CandidateHost& host, int threads) const;

  const PreparedWorkload& workload_;
  SharedMemory& stage_;
  const ReferenceHosts hosts_;
  const EvaluateOptions options_;  // its processes are no stages of a solution
  std::map<Evaluator, Entry> entries_;
  std::map<std::string, Entry> on_gpu_;  // keys: the devices' uuids
};

// The reference, as it is or compiled by torch.compile, as a Solution that others are compared
// with: one of names_of_references. Its dependencies name the version of torch, so that with
// another one it is another program.
Solution solution_of_reference(std::string_view name, const Definition& definition);

// Adds that of each definition to the set's solutions, none of which can have its name.
void add_references(std::string_view name, TraceSet& set);

}  // namespace kbench
