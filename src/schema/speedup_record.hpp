// How many times as fast as its reference a solution was found to be: docs/speedup.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

struct SpeedupRecord {
  std::optional<double> ratio;                  // time of the reference / time of the solution
  std::optional<std::vector<double>> interval;  // that holds it with 99 %
  std::optional<std::string> absent;            // why there is no ratio
  std::string how;           // "in turn" or "apart"; "" where the reference was not timed
  std::int64_t pairs = 0;    // of turns; apart, the fewer of the two's samples
  std::string evaluator;     // that the timed reference ran in: "libtorch" or "python"
  std::int64_t threads = 0;  // that it had
  std::optional<double> others_running;  // tasks beside kbench that wanted a core, on average
  std::optional<double> disturbed;  // share of `pairs` in which somebody else had part of a core
  FieldSet present{};
};

constexpr auto fields(const SpeedupRecord*) {
  return std::tuple{
      Field{"ratio", &SpeedupRecord::ratio, Need::optional, Rule::any,
            "Time of the reference / time of the solution, as it was measured; null where it is "
            "worth nothing."},
      Field{"interval", &SpeedupRecord::interval, Need::optional, Rule::any,
            "Holds the ratio with a probability of 99 %: its ends."},
      Field{"absent", &SpeedupRecord::absent, Need::optional, Rule::any, "Why there is no ratio."},
      Field{
          "how", &SpeedupRecord::how, Need::optional, Rule::any,
          "\"in turn\": the two were timed in turn, and the ratio is of each turn; \"apart\": one "
          "was timed after the other. Empty where the reference was not timed."},
      Field{"pairs", &SpeedupRecord::pairs, Need::optional, Rule::non_negative,
            "Turns that the ratio is of; apart, the smaller number of samples."},
      Field{"evaluator", &SpeedupRecord::evaluator, Need::optional, Rule::any,
            "What the timed reference ran in: \"libtorch\" or \"python\"."},
      Field{"threads", &SpeedupRecord::threads, Need::optional, Rule::non_negative,
            "Threads that the timed reference had: one, or as many as the solution, whichever was "
            "faster."},
      Field{"others_running", &SpeedupRecord::others_running, Need::optional, Rule::any,
            "Tasks beside kbench that wanted a core meanwhile, on average."},
      Field{"disturbed", &SpeedupRecord::disturbed, Need::optional, Rule::any,
            "Share of these turns in which somebody else had part of a core, as another virtual "
            "machine on its second hardware thread has; 0 where enough others were left."}};
}

}  // namespace kbench
