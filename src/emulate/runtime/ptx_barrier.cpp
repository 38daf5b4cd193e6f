// mbarrier objects: eight bytes of shared memory that hold a phase and counts, in a form that the
// PTX ISA leaves open.

#include "emulate/runtime/access.hpp"
#include "emulate/runtime/async_copy.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/ptx_steps.hpp"

namespace kbench_emulation {
namespace {

struct Object {
  std::uint64_t phase : 3, pending : 20, expected : 20,
      bytes : 21;  // of copies that are waited for
};
static_assert(sizeof(Object) == 8);

Object* object_at(PtxRun& run, const PtxInstruction& one, std::size_t operand) {
  if (operand >= one.operands.size()) not_emulated(("PTX " + one.opcode).c_str(), run.place());
  const bool is_shared_word = has_ptx_word(one, "shared") || has_ptx_word(one, "shared::cta");
  void* const place = run.address(one.operands[operand], is_shared_word);
  Now& n = *now;
  check(n, {reinterpret_cast<std::uintptr_t>(place), 8, Kind::atomic_write, {run.place(), nullptr}},
        8);
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

// Whether the phase that a state or a parity names is over.
void step_barrier_wait(PtxRun& run, const PtxInstruction& one) {
  Object* const object = object_at(run, one, 1);
  const std::uint64_t asked = run.get(one, 2, {'b', 64, 1});
  const bool is_over = has_ptx_word(one, "parity") ? (object->phase & 1) != (asked & 1)
                                                   : object->phase != (asked & 7);
  if (is_over)
    take_knowledge(*now->block, object);
  else
    pause();
  run.set(one, 0, is_over, {'p', 1, 1});
}

// The copies of this thread arrive now, which is as early as they may.
void step_barrier_of_copies(PtxRun& run, const PtxInstruction& one) {
  Object* const object = object_at(run, one, 0);
  close_copies();
  await_copies(0);
  leave_knowledge(*now->block, object);
  if (!has_ptx_word(one, "noinc")) return;  // one arrival was added, which this is
  if (object->pending == 0)
    fault("BAD_BARRIER", {run.place(), nullptr},
          "more arrivals at an mbarrier than it was made for");
  object->pending = object->pending - 1;
  finish_phase(*object);
}

}  // namespace kbench_emulation
