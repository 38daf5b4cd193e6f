// The tables of fields of SpeedupRecord.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/speedup_record.hpp"

namespace kbench {

constexpr auto fields(const SpeedupRecord*) {
  return std::tuple{
      Field{"ratio", &SpeedupRecord::ratio, Need::optional, Rule::any,
            "Time of the reference / time of the solution, as it was measured; null where one of "
            "them could not be timed."},
      Field{"interval", &SpeedupRecord::interval, Need::optional, Rule::any,
            "Holds the ratio with a probability of 99 %: its ends."},
      Field{"absent", &SpeedupRecord::absent, Need::optional, Rule::any, "Why there is no ratio."},
      Field{
          "how", &SpeedupRecord::how, Need::optional, Rule::any,
          "\"in turn\": the two were timed in turn, and the ratio is of each turn; \"apart\": one "
          "was timed after the other. Empty where the reference was not timed."},
      Field{"pairs", &SpeedupRecord::pairs, Need::optional, Rule::non_negative,
            "Turns that the ratio is of; apart, the smaller number of samples."},
      Field{"starts", &SpeedupRecord::starts, Need::extension, Rule::any,
            "The ratio of each start of the two, where there are several."},
      Field{"evaluator", &SpeedupRecord::evaluator, Need::optional, Rule::any,
            "What the timed reference ran in: \"libtorch\" or \"python\"."},
      Field{"threads", &SpeedupRecord::threads, Need::optional, Rule::non_negative,
            "Threads that the timed reference had: one, or as many as the solution, whichever was "
            "faster."},
      Field{"others_running", &SpeedupRecord::others_running, Need::extension, Rule::any,
            "Tasks beside kbench that wanted a core meanwhile, on average; in records of earlier "
            "versions alone."},
      Field{"disturbed", &SpeedupRecord::disturbed, Need::extension, Rule::any,
            "Share of these turns in which somebody else had part of a core; in records of earlier "
            "versions alone."}};
}

}  // namespace kbench
