// PTX's instructions that the threads of a warp or a block do together.
#include <kbench_emulation_threads.h>

#include "emulate/runtime/machine.hpp"
#include "emulate/runtime/ptx_steps.hpp"

namespace kbench_emulation {
namespace {

constexpr PtxType word{'b', 32, 1}, yes_or_no{'p', 1, 1};

std::uint32_t mask_of(const PtxRun& run, const PtxInstruction& one, std::size_t i) {
  return static_cast<std::uint32_t>(run.get(one, i, word));
}

// shfl's third source: the highest lane in the low bits, which lanes share segments above.
struct Brought {
  std::uint32_t value;
  std::uint32_t other, clamp;
  char mode;
};
struct Got {
  std::uint32_t value;
  bool is_inside;
};

void do_ptx_shuffle(const Exchange& exchange) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((exchange.present >> lane & 1) == 0) continue;
    const auto& mine = *static_cast<const Brought*>(exchange.lanes[lane].in);
    const unsigned segments = mine.clamp >> 8 & 31, highest = mine.clamp & 31;
    const unsigned most = (lane & segments) | (highest & ~segments & 31);
    const unsigned least = lane & segments;
    int source = 0;
    bool is_inside = false;
    switch (mine.mode) {
      case 'u':
        source = static_cast<int>(lane) - static_cast<int>(mine.other & 31);
        is_inside = source >= static_cast<int>(most);
        break;
      case 'd':
        source = static_cast<int>(lane + (mine.other & 31));
        is_inside = source <= static_cast<int>(most);
        break;
      case 'b':
        source = static_cast<int>(lane ^ (mine.other & 31));
        is_inside = source <= static_cast<int>(most);
        break;
      default:
        source = static_cast<int>(least | (mine.other & 31 & ~segments));
        is_inside = source <= static_cast<int>(most);
    }
    if (!is_inside) source = static_cast<int>(lane);
    const bool is_there = exchange.present >> source & 1;
    if (!is_there)
      note("BAD_SYNC_MASK", {exchange.place, nullptr},
           "lane %u gets a value of lane %d, which takes no part", lane, source);
    *static_cast<Got*>(exchange.lanes[lane].out) = {
        is_there ? static_cast<const Brought*>(exchange.lanes[source].in)->value : 0xffffffff,
        is_inside};
  }
}

}  // namespace

void step_shuffle(PtxRun& run, const PtxInstruction& one) {
  const Brought brought{mask_of(run, one, 1), mask_of(run, one, 2), mask_of(run, one, 3),
                        ptx_word(one, 1)[0]};
  Got got{};
  collective(do_ptx_shuffle, mask_of(run, one, 4), {&brought, &got, 0}, run.place());
  const PtxOperand& to = one.operands[0];
  if (to.kind != PtxOperand::Kind::pair) return run.set(to, got.value, word);
  run.set(to.elements[0], got.value, word);
  run.set(to.elements[1], got.is_inside, yes_or_no);
}

void step_vote(PtxRun& run, const PtxInstruction& one) {
  if (one.operands.size() != 3) not_emulated("PTX vote without three operands", run.place());
  const bool value = run.get_predicate(one.operands[1]);
  const std::uint32_t mask = mask_of(run, one, 2);
  const auto votes =
      static_cast<std::uint32_t>(combine(mask, WarpOperation::ballot, value, run.place()));
  const std::string_view how = ptx_word(one, 1);
  if (how == "ballot") return run.set(one, 0, votes, word);
  const auto all = static_cast<std::uint32_t>(combine(mask, WarpOperation::ballot, 1, run.place()));
  const bool result = how == "any"   ? votes != 0
                      : how == "all" ? votes == all
                                     : votes == 0 || votes == all;
  run.set(one, 0, result, yes_or_no);
}

void step_match(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const bool is_all = ptx_word(one, 0) == "all";
  const std::uint64_t found =
      combine(mask_of(run, one, 2), is_all ? WarpOperation::match_all : WarpOperation::match_any,
              run.get(one, 1, type), run.place());
  const PtxOperand& to = one.operands[0];
  if (to.kind != PtxOperand::Kind::pair) return run.set(to, found, word);
  run.set(to.elements[0], found, word);
  run.set(to.elements[1], found != 0, yes_or_no);
}

void step_redux(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const std::string_view how = ptx_word(one, 1);
  using W = WarpOperation;
  const bool s = type.is_signed();
  const W operation = how == "add"   ? W::add
                      : how == "min" ? (s ? W::least_signed : W::least)
                      : how == "max" ? (s ? W::most_signed : W::most)
                      : how == "and" ? W::bitwise_and
                      : how == "or"  ? W::bitwise_or
                                     : W::bitwise_xor;
  run.set(one, 0, combine(mask_of(run, one, 2), operation, run.get(one, 1, type), run.place()),
          type);
}

void step_active_mask(PtxRun& run, const PtxInstruction& one) {
  run.set(one, 0, active_mask(run.place()), word);
}

void step_elect(PtxRun& run, const PtxInstruction& one) {
  const std::uint32_t mask = mask_of(run, one, 1);
  const auto present =
      static_cast<std::uint32_t>(combine(mask, WarpOperation::ballot, 1, run.place()));
  const int leader = __builtin_ctz(present);
  const PtxOperand& to = one.operands[0];
  if (to.kind != PtxOperand::Kind::pair) return run.set(to, leader == lane_index(), yes_or_no);
  run.set(to.elements[0], static_cast<std::uint64_t>(leader), word);
  run.set(to.elements[1], leader == lane_index(), yes_or_no);
}

void step_block_barrier(PtxRun& run, const PtxInstruction& one) {
  const bool is_reduction = has_ptx_word(one, "red");
  const std::size_t first = is_reduction ? 1 : 0;
  const auto id = static_cast<unsigned>(run.get(one, first, word));
  const std::size_t last = one.operands.size() - (is_reduction ? 1 : 0);
  const auto count = last > first + 1 ? static_cast<unsigned>(run.get(one, first + 1, word)) : 0u;
  Vote vote = Vote::none;
  if (is_reduction)
    vote = has_ptx_word(one, "popc")  ? Vote::count
           : has_ptx_word(one, "and") ? Vote::all
                                      : Vote::any;
  const bool value = is_reduction && run.get_predicate(one.operands.back());
  const int result = named_barrier(id, count, vote, value, run.place());
  if (is_reduction) run.set(one, 0, static_cast<std::uint64_t>(result), word);
}

void step_arrive(PtxRun& run, const PtxInstruction& one) {
  arrive_at_barrier(static_cast<unsigned>(run.get(one, 0, word)),
                    static_cast<unsigned>(run.get(one, 1, word)), run.place());
}

void step_warp_barrier(PtxRun& run, const PtxInstruction& one) {
  collective(nullptr, mask_of(run, one, 0), {}, run.place());
}

}  // namespace kbench_emulation
