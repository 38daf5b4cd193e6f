// Where a candidate sees its inputs: on the stage, or in memory that it may write to.
#include <algorithm>
#include <cstring>

#include "exec/candidate_state.hpp"

namespace kbench {

// Gives the inputs that it may write to memory of their own, laid out as the stage.
void CandidateProcess::State::set_places(const Inputs& layout) {
  const auto& written = plan.scratch_inputs;
  if (!written.empty()) scratch_memory = SharedMemory("kbench scratch inputs", stage.size());
  scratch_memory.seal_size();
  for (const BoundInput& input : layout.values) {
    if (input.scalar) continue;
    SeenTensor tensor{stage.data() + input.offset, input.tensor.bytes, input.tensor.dtype};
    if (std::find(written.begin(), written.end(), input.name) != written.end()) {
      tensor.data = scratch_memory.data() + input.offset;
      scratch_places.push_back({input.offset, input.tensor.bytes});
    }
    seen.push_back(tensor);
  }
}

void CandidateProcess::State::lay_out(const Inputs& inputs) {
  auto place = seen.begin();
  for (const BoundInput& input : inputs.values) {
    if (input.scalar) continue;
    if (place->bytes > 0) std::memcpy(place->data, input.tensor.data, place->bytes);
    ++place;
  }
}

void CandidateProcess::State::refresh_scratch() {
  for (const auto& [at, bytes] : scratch_places)
    std::memcpy(scratch_memory.data() + at, stage.data() + at, bytes);
}

}  // namespace kbench
