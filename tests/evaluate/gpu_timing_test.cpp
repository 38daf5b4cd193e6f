#include "evaluate/gpu_timing.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

// A device of which events see `seen` of the `call_ns` that a call takes.
struct Device {
  double now_ns = 0;
  double call_ns = 0;
  double seen = 1;
  int late = 0;  // so many times another program has the processor
  std::uint64_t calls = 0;

  RunEpochs run() {
    return [this](const Epochs& epochs) -> std::optional<std::vector<double>> {
      now_ns += 30'000;  // to queue and to wait
      if (epochs.kind == CallKind::null) return std::vector{500.0};
      calls = epochs.calls;
      const double taken = static_cast<double>(epochs.calls) * call_ns;
      now_ns += taken + (taken > 4e6 && late-- > 0 ? 9e6 : 0);
      return std::vector{seen * taken};
    };
  }
  std::optional<std::string> hidden() {
    return hidden_work(run(), [this] { return now_ns; });
  }
};

TEST(HiddenWork, IsWhatEventsDoNotSee) {
  Device honest{0, 20'000};
  EXPECT_EQ(honest.hidden(), "");
  EXPECT_EQ(honest.calls, 256u);  // five milliseconds
  Device elsewhere{0, 20'000, 0.01};
  const auto why = elsewhere.hidden();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->find("HIDDEN_WORK: "), 0u) << *why;
  EXPECT_EQ(elsewhere.calls, 8192u);  // when nothing else was left to think
  Device half{0, 20'000, 0.5};
  EXPECT_NE(half.hidden(), "");
  Device slow{0, 100e6, 0.5};
  EXPECT_NE(slow.hidden(), "");
  EXPECT_EQ(slow.calls, 16u);
  Device nothing{0, 0};
  EXPECT_EQ(nothing.hidden(), "");
  Device interrupted{0, 20'000, 1, 4};
  EXPECT_EQ(interrupted.hidden(), "");
}

TEST(HiddenWork, OfACallThatFailedIsNotKnown) {
  const RunEpochs fails = [](const Epochs&) { return std::optional<std::vector<double>>(); };
  EXPECT_EQ(hidden_work(fails, [] { return 0.0; }), std::nullopt);
}

}  // namespace
}  // namespace kbench
