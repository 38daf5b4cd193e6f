#include "evaluate/contest.hpp"

#include <algorithm>
#include <memory>
#include <random>

#include "base/secret.hpp"
#include "evaluate/judgement.hpp"

namespace kbench {
namespace {

// An entrant and its process; none where it could not be built.
struct Seat {
  std::size_t entrant = 0;
  std::unique_ptr<Judgement> judgement;

  bool is_in() const { return judgement && !judgement->is_finished(); }
};

Seat take_seat(std::size_t number, const Entrant& entrant, const PreparedWorkload& workload,
               SharedMemory& stage, const EvaluateOptions& options) {
  Seat seat{number, nullptr};
  if (!entrant.build->built) return seat;
  seat.judgement = std::make_unique<Judgement>(
      workload, stage, candidate_plan(workload, *entrant.solution, *entrant.build, options),
      options);
  seat.judgement->load();
  if (seat.is_in()) seat.judgement->judge();
  return seat;
}

std::vector<Seat*> seats_in(std::vector<Seat>& seats) {
  std::vector<Seat*> in;
  for (Seat& seat : seats) {
    if (seat.is_in()) in.push_back(&seat);
  }
  return in;
}

// All have the same: where no one uses a second thread, one core.
CoreSplit cores_for(const std::vector<Seat*>& seats, int threads) {
  const bool is_one = std::all_of(seats.begin(), seats.end(), [](const Seat* seat) {
    return seat->judgement->was_single_threaded();
  });
  return split_cores(is_one ? 1 : threads);
}

// Until a contest ends without a failure, or fewer than two are left.
void time_in_turn(std::vector<Seat>& seats, const ContestRule& rule, WorkloadContest& result) {
  std::mt19937_64 random(fresh_secret());
  for (Seat* seat : seats_in(seats)) seat->judgement->begin_timing();
  for (;;) {
    const std::vector<Seat*> in = seats_in(seats);
    if (in.size() < 2) return;
    std::vector<RunEpochs> runs;
    for (const Seat* seat : in) runs.push_back(seat->judgement->run());
    const double begin = judges_clock_ns();
    result.contested = contest(runs, rule, &judges_clock_ns, random);
    result.seconds = (judges_clock_ns() - begin) * 1e-9;
    if (!result.contested) continue;
    for (const Seat* seat : in) result.contenders.push_back(seat->entrant);
    return;
  }
}

}  // namespace

WorkloadContest run_contest(const PreparedWorkload& workload, SharedMemory& stage,
                            const std::vector<Entrant>& entrants, const EvaluateOptions& options,
                            const ContestRule& rule) {
  WorkloadContest result;
  std::vector<Seat> seats;
  for (std::size_t i = 0; i < entrants.size(); ++i)
    seats.push_back(take_seat(i, entrants[i], workload, stage, options));
  const CoreSplit cores = cores_for(seats_in(seats), options.limits.threads);
  for (Seat* seat : seats_in(seats)) seat->judgement->keep_to(cores);
  const OnJudgesCore here(cores);
  if (seats_in(seats).size() >= 2) time_in_turn(seats, rule, result);
  for (std::size_t i = 0; i < result.contenders.size(); ++i) {
    seats[result.contenders[i]].judgement->end_timing(
        describe_timing(result.contested->contenders[i].taken, options.cold));
  }
  for (Seat& seat : seats) {
    if (seat.is_in()) seat.judgement->time();  // the only one that passed
    result.evaluations.push_back(
        seat.judgement ? seat.judgement->finish()
                       : unbuilt(workload, *entrants[seat.entrant].build, options.audit));
  }
  return result;
}

}  // namespace kbench
