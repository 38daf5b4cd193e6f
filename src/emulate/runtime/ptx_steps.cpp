#include "emulate/runtime/ptx_steps.hpp"

namespace kbench_emulation {
namespace {

struct StepRow {
  PtxOperation operation;
  PtxStep step;
};
void step_none(PtxRun&, const PtxInstruction&) {}
const StepRow step_rows[] = {
#define KB_ROW(name) {PtxOperation::name, step_##name},
    KB_ROW(none) KB_ROW(move) KB_ROW(load) KB_ROW(store) KB_ROW(convert_address) KB_ROW(arithmetic)
        KB_ROW(multiply) KB_ROW(multiply_add) KB_ROW(fused) KB_ROW(divide) KB_ROW(compare)
            KB_ROW(select) KB_ROW(logic) KB_ROW(shift) KB_ROW(funnel) KB_ROW(lop3) KB_ROW(permute)
                KB_ROW(bit_field) KB_ROW(count_bits) KB_ROW(function) KB_ROW(convert)
                    KB_ROW(convert_pair) KB_ROW(atomic) KB_ROW(reduce) KB_ROW(shuffle) KB_ROW(vote)
                        KB_ROW(match) KB_ROW(redux) KB_ROW(active_mask) KB_ROW(elect)
                            KB_ROW(block_barrier) KB_ROW(arrive) KB_ROW(warp_barrier) KB_ROW(fence)
                                KB_ROW(copy_async) KB_ROW(copy_commit) KB_ROW(copy_wait)
                                    KB_ROW(load_matrix) KB_ROW(store_matrix) KB_ROW(mma)
                                        KB_ROW(barrier_init) KB_ROW(barrier_arrive)
                                            KB_ROW(barrier_wait) KB_ROW(barrier_of_copies)
                                                KB_ROW(branch) KB_ROW(sleep) KB_ROW(trap)
                                                    KB_ROW(is_space) KB_ROW(copy_sign)
#undef KB_ROW
};

}  // namespace

PtxStep ptx_step(PtxOperation operation) {
  const StepRow& row = step_rows[static_cast<std::size_t>(operation)];
  return row.operation == operation ? row.step : nullptr;  // they stand in the enumeration's order
}

void step_branch(PtxRun& run, const PtxInstruction& one) {
  if (one.operands.size() != 1 || one.operands[0].kind != PtxOperand::Kind::label)
    not_emulated("PTX bra to what is no label", run.place());
  run.jump(one.operands[0].index);
}
void step_sleep(PtxRun&, const PtxInstruction&) { pause(); }
void step_trap(PtxRun& run, const PtxInstruction&) { fail("TRAP", "trap;", run.place()); }

}  // namespace kbench_emulation
