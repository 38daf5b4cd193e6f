// The measured side of bench/timing/run: one JSON object a line. See there.
//   timing measure KERNEL N            one measurement as `kbench run` makes it
//   timing decide KERNEL N M TRIALS    contests of N against M, fresh processes each
//   timing google KERNEL N SECONDS     the same file under Google Benchmark
//   timing step                        nanoseconds of one multiplication of the chain
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/system.hpp"
#include "cases.hpp"
#include "judge/judgement.hpp"
#include "measure/contest.hpp"
#include "measure/statistics.hpp"

namespace {

using namespace kbench;
using bench::Case;
using bench::Resident;

// Returns the mean, which Google Benchmark reports.
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void measure(const Case& what) {
  const CoreSplit cores = split_cores(1);
  const OnJudgesCore here(cores);
  bench::Buffers buffers(what);
  Resident resident(what, buffers, false, cores);
  resident.come_up();
  const double begin = judges_clock_ns();
  const auto sampled = take_samples(resident.run(), {}, &judges_clock_ns);
  const double ms = (judges_clock_ns() - begin) * 1e-6;
  const Summary summary = summarize(sampled->samples_ns);
  fmt::print(R"({{"median_ns": {}, "low_ns": {}, "high_ns": {}, "p10_ns": {}, "min_ns": {}, )"
             R"("null_ns": {}, "mean_ns": {}, "samples": {}, "stop": "{}", "ms": {}}})"
             "\n",
             summary.median, summary.median_interval->low, summary.median_interval->high,
             summary.p10, summary.minimum, sampled->null_ns, mean_of(sampled->samples_ns),
             summary.count, stop_name(sampled->stop), ms);
}

// Loads of a contest, and how long they took.
class Pair {
 public:
  Pair(const Case& a, const Case& b, const CoreSplit& cores, std::mt19937_64& random)
      : a_(a), b_(b), buffers_(a.n > b.n ? a : b), cores_(cores), random_(random) {}

  std::optional<std::vector<RunEpochs>> load() {
    const double begin = judges_clock_ns();
    first_.reset();
    second_.reset();
    buffers_.move_outputs();
    const bool turned = random_() % 2 == 0;
    if (turned) second_ = std::make_unique<Resident>(b_, buffers_, true, cores_);
    first_ = std::make_unique<Resident>(a_, buffers_, false, cores_);
    if (!turned) second_ = std::make_unique<Resident>(b_, buffers_, true, cores_);
    (turned ? *second_ : *first_).come_up();
    (turned ? *first_ : *second_).come_up();
    loading_ns_ += judges_clock_ns() - begin;
    return std::vector{first_->run_in_turn(), second_->run_in_turn()};
  }
  double loading_ns() const { return loading_ns_; }

 private:
  const Case& a_;
  const Case& b_;
  bench::Buffers buffers_;
  const CoreSplit& cores_;
  std::mt19937_64& random_;
  std::unique_ptr<Resident> first_, second_;
  double loading_ns_ = 0;
};

void decide(const Case& a, const Case& b, int trials, double budget_ns) {
  std::mt19937_64 random(fresh_secret());
  const CoreSplit cores = split_cores(1);
  const OnJudgesCore here(cores);
  ContestRule rule;
  rule.budget_ns = budget_ns;
  for (int i = 0; i < trials; ++i) {
    Pair pair(a, b, cores, random);
    const double begin = judges_clock_ns();
    const auto contested = contest(
        2, [&](const Contest&) { return pair.load(); }, rule, &judges_clock_ns, random);
    const double total_ns = judges_clock_ns() - begin;
    const Compared compared = contested->contest.compare(0, 1);
    fmt::print(R"({{"answer": "{}", "ms": {}, "total_ms": {}, "pairs": {}, "log_ratio": {}}})"
               "\n",
               answer_name(compared.answer), (total_ns - pair.loading_ns()) * 1e-6, total_ns * 1e-6,
               compared.pairs, compared.log_ratio);
    std::fflush(stdout);
  }
}

// Prints a multiplication's time where little disturbs it: the 10th percentile of many.
void step() {
  const CoreSplit cores = split_cores(1);
  const OnJudgesCore here(cores);
  constexpr std::int64_t n = 100'000;
  bench::Buffers buffers({"chain", n});
  Resident resident({"chain", n}, buffers, false, cores);
  resident.come_up();
  Epochs epochs;
  epochs.samples = 200;
  const auto samples = resident.run()(epochs);
  fmt::print("{{\"ns\": {}}}\n", summarize(*samples).p10 / static_cast<double>(n));
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](const char* name, int count) {
    return argc >= count && std::strcmp(argv[1], name) == 0;
  };
  try {
    if (is("step", 2)) return step(), 0;
    if (is("measure", 4)) return measure({argv[2], std::stoll(argv[3])}), 0;
    if (is("decide", 6)) {
      const double budget_ns = argc > 6 ? std::stod(argv[6]) * 1e9 : ContestRule{}.budget_ns;
      return decide({argv[2], std::stoll(argv[3])}, {argv[2], std::stoll(argv[4])},
                    std::stoi(argv[5]), budget_ns),
             0;
    }
    if (is("google", 5)) {
      fmt::print("{{\"ns\": {}}}\n",
                 bench::google_benchmark_ns({argv[2], std::stoll(argv[3])}, std::stod(argv[4])));
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "timing: {}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: timing measure|decide|google|step …; see bench/timing/main.cpp\n");
  return 2;
}
