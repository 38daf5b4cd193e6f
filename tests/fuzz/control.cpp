// The control page as the judge reads it: a candidate can have written anything there.
#include <memory>

#include "base/text.hpp"
#include "exec/arguments.hpp"
#include "exec/failure.hpp"
#include "support.hpp"

using namespace kbench;

namespace {

const TensorNames names = {{"x", "n"}, {"y", "z", "total"}};

// Reads what the judge's own checks leave to be read: a tensor with data has the declared size.
void read_results(const worker::Control& control) {
  PoisonedOutputs outputs({{"y", DType::float32, false, {2, 3}},
                           {"z", DType::float4_e2m1, false, {4}},
                           {"total", DType::int32, true, {}}});
  outputs.poison(5);
  store_numbers(control, outputs);
  const std::vector<TensorView> views = returned_views(control, outputs);
  FUZZ_CHECK(views.size() == outputs.views().size());
  const bool matches = !result_mismatch(control, outputs);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const TensorView& declared = outputs.views()[i];
    FUZZ_CHECK(views[i].shape.size() <= worker::max_rank);
    FUZZ_CHECK(views[i].data == nullptr || views[i].data == declared.data);
    if (views[i].data != nullptr && views[i].bytes != declared.bytes)
      FUZZ_CHECK(declared.shape.empty());  // a number, which kbench has stored itself
    if (matches) FUZZ_CHECK(views[i].shape == declared.shape && views[i].dtype == declared.dtype);
  }
  FUZZ_CHECK(outputs.overrun() == -1);
}

Death death_of(fuzz::Input& input) {
  Death death;
  const std::uint8_t how = input.byte();
  death.timed_out = (how & 1) != 0;
  death.flooded = (how & 2) != 0;
  death.status.exited = (how & 4) != 0;
  death.status.code = input.byte();
  death.seconds = input.byte();
  death.peak_bytes = input.take<std::uint64_t>();
  death.memory_limit = input.take<std::uint64_t>();
  death.tensor_bytes = input.take<std::uint32_t>();
  return death;
}

void check_failure(const CandidateFailure& failure) {
  FUZZ_CHECK(!failure.cause.empty() && failure.cause.size() < 2 * sizeof(worker::Control::message));
}

}  // namespace

// The bytes fill first the fields of the page that the worker writes, then its texts and tensors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Death death = death_of(input);
  const auto control = std::make_unique<worker::Control>();
  input.take(&control->phase,
             offsetof(worker::Control, samples_ns) - offsetof(worker::Control, phase));
  input.take(control->results, 3 * sizeof(worker::Argument));
  input.take(&control->destination_passing, sizeof control->destination_passing);
  input.take(&control->output_count, sizeof control->output_count);
  input.take(control->outputs, 2 * sizeof(worker::Argument));
  input.take(control->inputs, 2 * sizeof(worker::Argument));
  input.take(control->input_addresses, 2 * sizeof(std::uint64_t));
  input.take(control->output_addresses, 2 * sizeof(std::uint64_t));
  input.take(control->allocations, 2 * sizeof(worker::Allocation));
  input.take(control->message, sizeof control->message);
  if (const auto failure = failure_of_answer(*control, {})) check_failure(*failure);
  check_failure(failure_of_death(*control, death, names));
  read_results(*control);
  return 0;
}
