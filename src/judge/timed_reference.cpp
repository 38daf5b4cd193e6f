#include "judge/timed_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/python.hpp"
#include "build/builder.hpp"
#include "exec/cores.hpp"
#include "measure/machine/identity.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

constexpr const char* text_file = "reference.py";
// LibTorch divides no operator among threads that has fewer than 32768 elements: it takes so long,
// and more.
constexpr double least_divided_ns = 50'000;

EvaluateOptions without_stages(EvaluateOptions options) {
  options.stages = {};
  return options;
}

// Definitions of solutions for a GPU, where there is one. Their references are compiled for it.
std::set<std::string> definitions_on_gpu(const TraceSet& set) {
  std::set<std::string> names;
  if (!has_nvidia_gpu()) return names;
  for (const auto& stored : set.solutions)
    if (wants_gpu(stored.record)) names.insert(stored.record.definition);
  return names;
}

}  // namespace

Solution reference_solution(const Definition& definition) {
  Solution solution;
  solution.name = definition.name + " (reference)";
  solution.definition = definition.name;
  solution.spec.language = Language::python;
  solution.spec.entry_point = std::string(text_file) + "::run";
  solution.spec.destination_passing_style = false;
  solution.sources.push_back({text_file, definition.reference});
  return solution;
}

FastestStart::FastestStart(Cache* cache, const std::string& what) : cache_(cache) {
  if (cache == nullptr) return;
  const auto boot = read_file_if_there("/proc/sys/kernel/random/boot_id");
  key_ = sha256_hex("kbench fastest 1\n" + machine_identity() + "\n" + boot.value_or("") + what);
  const auto kept = cache->find(key_);
  if (!kept) return;
  double value = 0;
  const auto read =
      std::from_chars(kept->text.data(), kept->text.data() + kept->text.size(), value);
  if (read.ec == std::errc() && std::isfinite(value)) log_ns_ = value;
}

void FastestStart::note(double log_ns) {
  constexpr double worth_keeping = 0.005;
  const bool is_kept = log_ns_ - log_ns < worth_keeping;
  log_ns_ = std::min(log_ns_, log_ns);
  if (cache_ != nullptr && !is_kept) cache_->insert(key_, fmt::format("{}", log_ns_), "");
}

TimedReference::TimedReference(const PreparedWorkload& workload, SharedMemory& stage,
                               CandidatePlan plan, Evaluator evaluator,
                               const EvaluateOptions& options)
    : workload_(workload),
      stage_(stage),
      plan_(std::move(plan)),
      evaluator_(evaluator),
      options_(options) {
  add_start();
}

bool TimedReference::add_start() {
  auto judgement =
      std::make_unique<Judgement>(workload_, stage_, outputs_elsewhere(workload_), plan_, options_);
  if (plan_.is_audited)
    judgement->load();
  else
    judgement->come_back();
  starts_.push_back({std::move(judgement)});
  return check(*starts_.back().judgement);
}

bool TimedReference::check(Judgement& judgement) {
  if (!judgement.is_finished()) return true;
  if (failure_.empty()) {
    const Evaluation evaluation = judgement.finish();
    failure_ = evaluation.kbench->cause.value_or("it failed");
  }
  return false;
}

bool TimedReference::works() {
  return std::all_of(starts_.begin(), starts_.end(),
                     [this](Start& start) { return check(*start.judgement); });
}

void TimedReference::share(const CoreSplit& cores) {
  plan_.cores = cores;
  for (Start& start : starts_) start.judgement->stay_on(cores);
}

std::optional<TimedSide> TimedReference::begin_timing(std::size_t number) {
  while (failure_.empty() && starts_.size() <= number) add_start();
  if (!failure_.empty()) return std::nullopt;
  Start& start = starts_[number];
  if (!start.run && start.judgement->begin_timing()) start.run = start.judgement->run_in_turn();
  if (!check(*start.judgement)) return std::nullopt;
  return TimedSide{start.run, start.pace};
}

std::optional<double> TimedReference::audit(const Trial& trial) {
  if (!failure_.empty()) return std::nullopt;
  Judgement& judgement = *starts_.front().judgement;
  const auto ns = judgement.audit_once(trial);
  check(judgement);
  return ns;
}

// Median of three samples: the first call of all has warmed it up.
std::optional<double> TimedReference::probe_ns(const Trial& trial) {
  std::vector<double> samples;
  if (options_.audit) {
    for (int i = 0; i < 3; ++i) {
      const auto ns = audit(trial);
      if (!ns) return std::nullopt;
      samples.push_back(*ns);
    }
    return median_of(samples);
  }
  const auto side = begin_timing(0);
  if (!side) return std::nullopt;
  PaceRule rule;
  rule.cold = options_.judge.cold;
  const auto pace = find_pace(side->run, rule);
  if (!pace) return works(), std::nullopt;
  know_pace(0, *pace);
  Epochs epochs = epochs_of(*pace, rule);
  epochs.samples = 3;
  const auto taken = side->run(epochs);
  if (!taken) return works(), std::nullopt;
  return median_of(*taken) / static_cast<double>(pace->calls);
}

TimedReferences::TimedReferences(const PreparedWorkload& workload, SharedMemory& stage,
                                 ReferenceHosts hosts, const EvaluateOptions& options)
    : workload_(workload),
      stage_(stage),
      hosts_(std::move(hosts)),
      options_(without_stages(options)) {}

TimedReferences::Entry TimedReferences::kept(Entry entry) const {
  if (entry.reference) entry.reference->fastest() = fastest_of(entry.reference->plan());
  return entry;
}

FastestStart TimedReferences::fastest_of(const CandidatePlan& plan) const {
  std::string what =
      fmt::format("{}\n{} {} {} {} {}", hosts_.what, plan.program, plan.limits.threads,
                  options_.judge.cold, plan.is_audited, plan.gpu.has_value());
  for (const auto& [axis, length] : workload_.problem.axes)
    what += fmt::format(" {}={}", axis, length);
  return {hosts_.times, what};
}

const TimedReferences::Entry& TimedReferences::entry_for(const CandidatePlan& candidate) {
  if (candidate.gpu) {
    const std::string& uuid = candidate.gpu->uuid;
    if (!on_gpu_.contains(uuid)) on_gpu_.emplace(uuid, kept(start_on(*candidate.gpu)));
    return on_gpu_.at(uuid);
  }
  const Evaluator evaluator =
      candidate.host != nullptr ? Evaluator::python : workload_.trials.front().reference.evaluator;
  if (!entries_.contains(evaluator)) entries_.emplace(evaluator, kept(start(evaluator)));
  return entries_.at(evaluator);
}

TimedReferences::Found TimedReferences::beside(const CandidatePlan& candidate) {
  if (!options_.config.profile_baseline) return {nullptr, "--no-profile-baseline"};
  const Entry& entry = entry_for(candidate);
  if (entry.reference && entry.reference->failure().empty()) return {entry.reference.get(), ""};
  return {nullptr, entry.reference
                       ? "the reference could not be timed: " + entry.reference->failure()
                       : entry.absent};
}

CandidatePlan TimedReferences::plan_of(const BuildResult& text, CandidateHost& host,
                                       int threads) const {
  CandidatePlan plan;
  plan.program = &host == hosts_.libtorch ? "libtorch" : "python";
  plan.library = text.library;
  plan.symbol = text.hosted;
  plan.destination_passing = false;
  plan.limits = options_.limits;
  plan.limits.threads = threads;
  plan.scratch_inputs = workload_.trials.front().reference.written;
  plan.host = &host;
  if (options_.audit) plan.cores = split_cores(threads);  // share() sets them otherwise
  plan.is_audited = options_.audit;
  return plan;
}

TimedReferences::Entry TimedReferences::start_on(const GpuPlan& gpu) {
  if (hosts_.gpu == nullptr) return {nullptr, "--reference-device cpu"};
  if (const std::string why = hosts_.gpu->unavailable(); !why.empty())
    return {nullptr, "the reference could not be timed: " + why};
  CandidatePlan plan = plan_of(hosts_.build(), *hosts_.gpu, options_.limits.threads);
  plan.gpu = gpu;
  return {std::make_unique<TimedReference>(workload_, stage_, plan, Evaluator::python, options_),
          ""};
}

TimedReferences::Entry TimedReferences::start(Evaluator evaluator) {
  CandidateHost* const host = evaluator == Evaluator::python ? hosts_.python : hosts_.libtorch;
  if (const std::string why = host->unavailable(); !why.empty())
    return {nullptr, "the reference could not be timed: " + why};
  const BuildResult text = hosts_.build();
  const auto with_threads = [&](int threads) {
    return std::make_unique<TimedReference>(workload_, stage_, plan_of(text, *host, threads),
                                            evaluator, options_);
  };
  Entry entry{with_threads(1), ""};
  const int most = std::min(options_.limits.threads, static_cast<int>(usable_cores().size()));
  if (most <= 1) return entry;
  // Small shapes pay more for waking threads up than these save: the smallest are not tried so.
  const Trial& trial = workload_.trials.back();
  const auto of_one = entry.reference->probe_ns(trial);
  if (of_one && *of_one < least_divided_ns) return entry;
  auto several = with_threads(most);
  const auto of_several = several->probe_ns(trial);
  if (of_several && (!of_one || *of_several < *of_one)) entry.reference = std::move(several);
  return entry;
}

Solution solution_of_reference(std::string_view name, const Definition& definition) {
  Solution solution = reference_solution(definition);
  solution.name = solution.author = name;
  const auto torch = find_libtorch();
  solution.spec.target_hardware = {"cpu"};
  solution.spec.dependencies = {torch ? "torch==" + torch->version : "torch"};
  solution.is_compiled_reference = name == compiled_reference_name;
  solution.description = "The reference";
  if (solution.is_compiled_reference) *solution.description += ", compiled by torch.compile";
  return solution;
}

void add_references(std::string_view name, TraceSet& set) {
  const std::set<std::string> on_gpu = definitions_on_gpu(set);
  for (const auto& stored : set.definitions) {
    Solution solution = solution_of_reference(name, stored.record);
    if (on_gpu.contains(solution.definition)) solution.spec.target_hardware = {"cuda"};
    set.solutions.push_back({std::move(solution), stored.path, stored.line});
  }
}

}  // namespace kbench
