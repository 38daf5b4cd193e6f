// Instructions of PTX that the threads of a warp or a block do together.
#include <kbench_emulation_threads.h>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/ptx_run.hpp"
#include "emulate/runtime/shared_memory.hpp"

namespace kbench_emulation {
namespace {

constexpr PtxType word{'b', 32, 1}, yes_or_no{'p', 1, 1};

std::uint32_t mask_of(const PtxRun& run, const PtxInstruction& one, std::size_t i) {
  return static_cast<std::uint32_t>(run.get(one, i, word));
}

// Sets `d` or `d|p`.
void set_with(PtxRun& run, const PtxInstruction& one, std::uint64_t value, bool is_true) {
  const PtxOperand& to = one.operands[0];
  if (to.kind != PtxOperand::Kind::pair) return run.set(to, value, word);
  run.set(to.elements[0], value, word);
  run.set(to.elements[1], is_true, yes_or_no);
}

// Third source of shfl: the highest lane in the low bits, which lanes share segments above.
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
  set_with(run, one, got.value, got.is_inside);
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
  set_with(run, one, found, found != 0);
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

// mbarrier objects: eight bytes of shared memory that hold a phase and counts, in a form that the
// PTX ISA leaves open.

namespace {

struct Object {
  std::uint64_t phase : 3, pending : 20, expected : 20,
      bytes : 21;  // bytes of copies that are waited for
};
static_assert(sizeof(Object) == 8);

Object* object_at(PtxRun& run, const PtxInstruction& one, std::size_t operand) {
  if (operand >= one.operands.size()) not_emulated(("PTX " + one.opcode).c_str(), run.place());
  const bool is_shared_word = has_ptx_word(one, "shared") || has_ptx_word(one, "shared::cta");
  void* const place = run.address(one.operands[operand], is_shared_word);
  check(*now, run.touch(place, sizeof(Object), Kind::atomic_write), sizeof(Object));
  return static_cast<Object*>(place);
}

void finish_phase(Object& object) {
  if (object.pending != 0 || object.bytes != 0) return;
  object.phase = static_cast<unsigned>(object.phase + 1) & 7;
  object.pending = object.expected;
  now->block->idle = now->thread->futile = 0;
}

}  // namespace

void step_barrier_init(PtxRun& run, const PtxInstruction& one) {
  Object* const object = object_at(run, one, 0);
  const auto count = run.get(one, 1, {'u', 32, 1}) & 0xfffff;
  object->phase = 0;
  object->pending = object->expected = count;
  object->bytes = 0;
  now->block->knowledge.erase(object);
}

void step_barrier_arrive(PtxRun& run, const PtxInstruction& one) {
  const bool has_result =
      one.operands.size() > 1 && one.operands[0].kind != PtxOperand::Kind::address;
  const std::size_t at = has_result ? 1 : 0;
  Object* const object = object_at(run, one, at);
  const bool expects = has_ptx_word(one, "expect_tx");
  const std::uint64_t more = one.operands.size() > at + 1 ? run.get(one, at + 1, {'u', 32, 1}) : 1;
  const std::uint64_t arrivals = expects ? 1 : more;
  if (object->pending < arrivals)
    fault("BAD_BARRIER", {run.place(), nullptr},
          "more arrivals at an mbarrier than it was made for");
  leave_knowledge(*now->block, object);
  const std::uint64_t state = object->phase;
  if (expects) object->bytes = object->bytes + more;
  object->pending = object->pending - arrivals;
  finish_phase(*object);
  if (has_result) run.set(one, 0, state, {'b', 64, 1});
}

// Tells whether the phase that a state or a parity names is over.
void step_barrier_wait(PtxRun& run, const PtxInstruction& one) {
  Object* const object = object_at(run, one, 1);
  const std::uint64_t asked = run.get(one, 2, {'b', 64, 1});
  const bool is_over = has_ptx_word(one, "parity") ? (object->phase & 1) != (asked & 1)
                                                   : object->phase != (asked & 7);
  if (is_over)
    take_knowledge(*now->block, object);
  else
    wait_for(run.touch(object, sizeof(Object), Kind::atomic_write), true);
  run.set(one, 0, is_over, {'p', 1, 1});
}

// Lets the copies of this thread arrive now, which is as early as they may.
void step_barrier_of_copies(PtxRun& run, const PtxInstruction& one) {
  Object* const object = object_at(run, one, 0);
  close_copies();
  await_copies(0);
  leave_knowledge(*now->block, object);
  if (!has_ptx_word(one, "noinc")) return;  // this is the one arrival that was added
  if (object->pending == 0)
    fault("BAD_BARRIER", {run.place(), nullptr},
          "more arrivals at an mbarrier than it was made for");
  object->pending = object->pending - 1;
  finish_phase(*object);
}

}  // namespace kbench_emulation
