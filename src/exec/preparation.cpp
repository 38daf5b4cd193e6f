// What a candidate does before its first call: it is loaded, and prepares itself.
#include <chrono>

#include "exec/candidate_state.hpp"

namespace kbench {

std::optional<CandidateFailure> CandidateProcess::load() {
  State& s = *state_;
  if (!s.unlaunchable.empty())
    return CandidateFailure{Status::runtime_error, "LAUNCH_ERROR: " + s.unlaunchable};
  if (s.plan.is_audited) s.send(worker::Command::load);
  const double limit = s.plan.limits.load_seconds;
  if (auto failure = s.wait_answer(limit, limit)) return failure;
  if (s.plan.sanitizers.which.address) s.limit_sanitized_memory();
  return s.plan.prepare.empty() ? std::nullopt : s.prepare();
}

std::optional<double> CandidateProcess::prepare_ns() const { return state_->prepare_ns; }

// It may take as long as a call: it is part of none, and whoever waits for it does so once.
std::optional<CandidateFailure> CandidateProcess::State::prepare() {
  const auto begin = Clock::now();
  send(worker::Command::prepare);
  auto failure = wait_answer(plan.limits.call_seconds, plan.limits.call_seconds);
  if (!failure) prepare_ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  return failure;
}

}  // namespace kbench
