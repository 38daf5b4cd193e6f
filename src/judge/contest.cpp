#include "judge/contest.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/gpu_timing.hpp"
#include "judge/judgement.hpp"
#include "measure/machine/state.hpp"

namespace kbench {
namespace {

// An entrant and its process; none where it could not be built.
struct Seat {
  std::size_t entrant = 0;
  std::unique_ptr<Contender> judgement;

  bool is_in() const { return judgement && !judgement->is_finished(); }
};

Seat take_seat(std::size_t number, const Entrant& entrant, const ContestField& field) {
  Seat seat{number, nullptr};
  if (!entrant.build->built) return seat;
  seat.judgement = field.start(entrant);
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

// Cores of all: one where no one uses a second thread.
CoreSplit cores_for(const std::vector<Seat*>& seats, int threads) {
  const bool is_one = std::all_of(seats.begin(), seats.end(), [](const Seat* seat) {
    return seat->judgement->was_single_threaded();
  });
  return split_cores(is_one ? 1 : threads);
}

// Loads the contenders. Those that met before are judged by what their timed calls have left, and
// loaded again in a random order: who is loaded first may get other memory. Places of inputs and
// outputs change a kernel's time by percents: all that meet have the same, the outputs at other
// places each time.
class Loads {
 public:
  Loads(const std::vector<Seat*>& seats, std::mt19937_64& random)
      : seats_(seats), random_(random) {}

  std::optional<std::vector<RunEpochs>> load(const Contest& contest) {
    if (!end()) return std::nullopt;
    std::vector<std::size_t> order(seats_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<RunEpochs> runs(seats_.size());
    const Contender::Places places = seats_.front()->judgement->elsewhere();
    std::erase_if(order, [&contest](std::size_t i) { return contest.is_out(i); });
    for (const std::size_t i : order) seats_[i]->judgement->start_again(places);
    for (const std::size_t i : order) {
      Contender& judgement = *seats_[i]->judgement;
      if (!judgement.come_back() || !judgement.begin_timing()) return std::nullopt;
      runs[i] = judgement.run_in_turn();
      loaded_.push_back(&judgement);
    }
    return runs;
  }

  // False where one of them has left wrong outputs.
  bool end() {
    bool good = true;
    for (Contender* judgement : std::exchange(loaded_, {}))
      good &= !judgement->is_finished() && judgement->prove() && judgement->end_timing();
    return good;
  }

 private:
  const std::vector<Seat*>& seats_;
  std::mt19937_64& random_;
  std::vector<Contender*> loaded_;
};

// Times the seats in turn; nothing where one of them failed.
std::optional<Contested> hold(const std::vector<Seat*>& seats, const CoreSplit& cores,
                              ContestRule rule, double& seconds) {
  if (std::any_of(seats.begin(), seats.end(),
                  [](const Seat* seat) { return seat->judgement->is_on_gpu(); }))
    rule.pace.epoch_ns = gpu_epoch_ns / 2;
  const TimingTurn turn;
  const OnJudgesCore here(cores);
  std::mt19937_64 random(fresh_secret());
  Loads loads(seats, random);
  const double begin = judges_clock_ns();
  auto contested = contest(
      seats.size(), [&](const Contest& so_far) { return loads.load(so_far); }, rule,
      &judges_clock_ns, random);
  seconds = (judges_clock_ns() - begin) * 1e-9;
  if (!loads.end()) contested.reset();
  return contested;
}

// Repeats the contest until one ends without a failure, or fewer than two are left.
void time_in_turn(std::vector<Seat>& seats, const CoreSplit& cores, const ContestRule& rule,
                  WorkloadContest& result) {
  for (;;) {
    const std::vector<Seat*> in = seats_in(seats);
    if (in.size() < 2) return;
    auto contested = hold(in, cores, rule, result.seconds);
    if (!contested) continue;  // the failed one is out
    std::vector<Timing> timings;
    bool are_believed = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
      timings.push_back(describe_timing(contested->taken[i], rule.pace.cold));
      are_believed &= in[i]->judgement->believe(timings.back());
    }
    if (!are_believed) continue;
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i]->judgement->pass(std::move(timings[i]));
      result.contenders.push_back(in[i]->entrant);
    }
    result.contested = std::move(contested);
    return;
  }
}

// Times the only one that passed. Others have had the inputs and outputs since it was judged.
void time_alone(Contender& judgement) {
  judgement.start_again(judgement.elsewhere());
  if (judgement.come_back()) judgement.time();
}

JudgedEntrant judged(const Entrant& entrant, Seat& seat, const ContestField& field) {
  return {entrant.solution, seat.judgement
                                ? seat.judgement->finish()
                                : unbuilt(field.workload, *entrant.build, field.options.audit)};
}

Stage stage_of(const PreparedWorkload& workload, const std::vector<Seat*>& seats) {
  std::vector<std::string> labels;
  for (const Seat* seat : seats) {
    const std::string label = seat->judgement->label();
    const bool is_known = std::find(labels.begin(), labels.end(), label) != labels.end();
    if (!label.empty() && !is_known) labels.push_back(label);
  }
  return {"contest", workload.problem.definition, workload.problem.workload, "", join(labels, " ")};
}

}  // namespace

WorkloadContest run_contest(const ContestField& field, const std::vector<Entrant>& entrants,
                            const ContestRule& rule) {
  WorkloadContest result;
  std::vector<Seat> seats;
  for (std::size_t i = 0; i < entrants.size(); ++i)
    seats.push_back(take_seat(i, entrants[i], field));
  const CoreSplit cores = cores_for(seats_in(seats), field.options.limits.threads);
  for (Seat* seat : seats_in(seats)) seat->judgement->keep_to(cores);
  if (const std::vector<Seat*> in = seats_in(seats); in.size() >= 2) {
    const StageSpan span(field.options.stages, stage_of(field.workload, in));
    time_in_turn(seats, cores, rule, result);
  }
  for (Seat& seat : seats) {
    if (seat.is_in()) time_alone(*seat.judgement);
    result.entrants.push_back(judged(entrants[seat.entrant], seat, field));
  }
  return result;
}

StartContender start_of_runs(const PreparedWorkload& workload, SharedMemory& stage,
                             const EvaluateOptions& options, Judging how) {
  const auto right = how == Judging::among_many ? std::make_shared<RightOutputs>() : nullptr;
  return [&workload, &stage, &options, right](const Entrant& entrant) {
    const CandidatePlan plan = candidate_plan(workload, *entrant.solution, *entrant.build, options);
    auto judgement = std::make_unique<Judgement>(
        workload, stage, right ? outputs_elsewhere(workload) : outputs_for(workload, plan), plan,
        options);
    if (right) judgement->share(right);
    return judgement;
  };
}

}  // namespace kbench
