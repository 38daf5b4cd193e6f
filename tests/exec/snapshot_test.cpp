#include <gtest/gtest.h>

#include "exec/poisoned_outputs.hpp"

namespace kbench {
namespace {

const std::vector<TensorPlan> plans = {{"a", DType::float32, false, {10000}},
                                       {"b", DType::int8, false, {3}}};

TEST(Snapshot, HoldsWhatTheOutputsHeld) {
  PoisonedOutputs outputs(plans);
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  snapshot.take();
  EXPECT_EQ(snapshot.done_early(), "");
  EXPECT_EQ(snapshot.changed_since(), "");
  outputs.data(1)[2] ^= std::byte{1};
  EXPECT_EQ(snapshot.changed_since(), "b");
  EXPECT_EQ(snapshot.done_early(), "");
  outputs.read_from(snapshot.data());
  EXPECT_EQ(outputs.unwritten(1).count, 3U);  // as it was then
  outputs.poison(3);
  EXPECT_EQ(outputs.views()[1].data, outputs.memory().data() + outputs.offset(1));
}

TEST(Snapshot, ProbesSeeWhatChangesBeforeIt) {
  PoisonedOutputs outputs(plans);
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  for (std::size_t i = 0; i < 40000; i += 2) outputs.data(0)[i] ^= std::byte{1};
  snapshot.take();
  EXPECT_EQ(snapshot.done_early(), "a");
  EXPECT_EQ(snapshot.changed_since(), "");
}

TEST(Snapshot, WithoutElementsThereIsNothingToSee) {
  PoisonedOutputs outputs({{"y", DType::float32, false, {0}}});
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  snapshot.take();
  EXPECT_EQ(snapshot.done_early() + snapshot.changed_since(), "");
}

}  // namespace
}  // namespace kbench
