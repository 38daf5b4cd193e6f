// The tables of fields of RunRecord.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/run_record.hpp"

namespace kbench {

constexpr auto fields(const RunRecord*) {
  return std::tuple{
      Field{"plan", &RunRecord::plan, Need::required, Rule::any,
            "Begin of the SHA-256 of the plan's file."},
      Field{"shard", &RunRecord::shard, Need::required, Rule::non_negative, "Counted from 0."},
      Field{"attempt", &RunRecord::attempt, Need::required, Rule::non_negative,
            "How often the shard was begun before."},
      Field{"node", &RunRecord::node, Need::required, Rule::any, "The host's name."},
      Field{"pair", &RunRecord::pair, Need::required, Rule::any,
            "What was judged: the digest that the plan has of it."}};
}

}  // namespace kbench
