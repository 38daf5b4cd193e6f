#include "worker/cuda/hardware.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "cuda/fake/fake.h"
#include "worker/session.hpp"

namespace kbench::cuda {
namespace {

using worker::Answer;
using worker::ArgumentKind;
using worker::Control;
using worker::MappedTensor;

const std::string library = KBENCH_FAKE_CUDA;

// Returns a function of the fake driver.
template <class F>
F* fake(const char* name) {
  static void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return reinterpret_cast<F*>(::dlsym(handle, name));
}
void launch(void (*work)(void*), void* argument, double ns, int stream = 0) {
  fake<decltype(fake_launch)>("fake_launch")(work, argument, ns, stream);
}
std::string log() { return fake<decltype(fake_log)>("fake_log")(); }

constexpr int count = 64;
constexpr std::size_t bytes = count * sizeof(float);

// Body of a candidate's call: its tensors lie on the device.
std::function<void(float* x, float* y)> body;
int entry(void*, const TVMFFIAny* arguments, std::int32_t, TVMFFIAny*) {
  const auto data = [&](int i) {
    return static_cast<float*>(static_cast<const DLTensor*>(arguments[i].v_ptr)->data);
  };
  body(data(0), data(1));
  return 0;
}

struct Pair {
  float* x;
  float* y;
};
void double_all(void* argument) {
  const Pair pair = *static_cast<Pair*>(argument);
  for (int i = 0; i < count; ++i) pair.y[i] = 2 * pair.x[i];
}

class Gpu : public testing::Test {
 protected:
  std::unique_ptr<Control> control_ = std::make_unique<Control>();
  std::vector<MappedTensor> inputs_, outputs_;
  std::unique_ptr<GpuHardware> hardware_ = std::make_unique<GpuHardware>(library);
  std::unique_ptr<worker::Candidate> candidate_;
  Pair pair_{};

  void SetUp() override {
    fake<decltype(fake_reset)>("fake_reset")();
    control_->destination_passing = 1;
    inputs_.push_back(tensor(control_->inputs[0], 4096 - bytes));
    outputs_.push_back(tensor(control_->outputs[0], 4096 - bytes - 64));
    control_->input_count = control_->output_count = 1;
    for (int i = 0; i < count; ++i) input()[i] = static_cast<float>(i);
    std::memset(outputs_[0].pages.begin, 0xee, 4096);
    body = [this](float* x, float* y) {
      pair_ = {x, y};
      launch(&double_all, &pair_, 1000);
    };
  }

  static MappedTensor tensor(worker::Argument& argument, std::size_t offset) {
    argument.kind = ArgumentKind::tensor;
    argument.rank = 1;
    argument.shape[0] = count;
    argument.bytes = bytes;
    const worker::Pages pages = worker::map_private(4096);
    return {pages.begin + offset, pages, bytes};
  }
  float* input() { return reinterpret_cast<float*>(inputs_[0].data); }
  float* output() { return reinterpret_cast<float*>(outputs_[0].data); }

  bool place() {
    if (!hardware_->place(*control_, inputs_, outputs_)) return false;
    candidate_ = std::make_unique<worker::Candidate>(*control_, inputs_, outputs_, *hardware_);
    return candidate_->load([](Control&) { return worker::EntryPoint{&entry}; });
  }
  // Makes a judged call as the session does.
  bool call() {
    candidate_->begin(true);
    return hardware_->send() && candidate_->call() && hardware_->wait() && hardware_->fetch(true);
  }
  // Returns samples, rounded to nanoseconds.
  std::vector<long> time(const Epochs& epochs) {
    control_->epochs = epochs;
    std::vector<long> samples;
    if (!hardware_->run_epochs(*control_, *candidate_)) return samples;
    for (std::uint32_t i = 0; i < control_->sample_count; ++i)
      samples.push_back(std::lround(control_->samples_ns[i]));
    return samples;
  }
};

TEST_F(Gpu, HasTheTensorsThereAndBack) {
  ASSERT_TRUE(place()) << control_->message;
  EXPECT_NE(inputs_[0].seen, static_cast<void*>(inputs_[0].data));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(outputs_[0].seen) % 512, 0u);
  ASSERT_TRUE(call()) << control_->message;
  for (int i = 0; i < count; ++i) EXPECT_EQ(output()[i], 2 * i);
  EXPECT_EQ(std::to_integer<int>(outputs_[0].pages.begin[0]), 0xee);  // page around the tensor
}

TEST_F(Gpu, TimedCallsTakeOneCopyAfterTheOther) {
  control_->copies = 3;
  ASSERT_TRUE(place()) << control_->message;
  std::vector<const float*> seen;
  body = [&](float* x, float* y) {
    seen.push_back(x);
    pair_ = {x, y};
    double_all(&pair_);
  };
  candidate_->begin(false);
  ASSERT_TRUE(hardware_->send());
  EXPECT_EQ(time({.samples = 2, .calls = 2}).size(), 2u);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_NE(seen[0], seen[2]);
  EXPECT_EQ(seen[3], seen[0]);
  // The last call's outputs are what the judge sees.
  ASSERT_TRUE(hardware_->fetch(true)) << control_->message;
  for (int i = 0; i < count; ++i) EXPECT_EQ(output()[i], 2 * i);
  // Judged calls have the first copy.
  seen.clear();
  ASSERT_TRUE(call()) << control_->message;
  EXPECT_EQ(static_cast<const void*>(seen.at(0)), inputs_[0].seen);
}

TEST_F(Gpu, WhatIsNotWrittenComesBackAsPoison) {
  ASSERT_TRUE(place());
  body = [](float*, float*) {};
  ASSERT_TRUE(call());
  EXPECT_EQ(std::to_integer<int>(outputs_[0].data[0]), 0xee);
}

TEST_F(Gpu, WhatIsWrittenBeyondAnOutputComesBackToo) {
  ASSERT_TRUE(place());
  body = [](float*, float* y) { y[count] = y[-1] = 0; };
  ASSERT_TRUE(call());
  EXPECT_EQ(std::to_integer<int>(outputs_[0].data[bytes]), 0);
  EXPECT_EQ(std::to_integer<int>(outputs_[0].data[-1]), 0);
}

TEST_F(Gpu, NothingLiesAroundAnOutputThatAToolWatches) {
  control_->is_watched = 1;
  ASSERT_TRUE(place());
  ASSERT_TRUE(call());
  for (int i = 0; i < count; ++i) EXPECT_EQ(output()[i], 2 * i);
  // Bytes around it on the host stay: none come back.
  outputs_[0].data[bytes] = outputs_[0].data[-1] = std::byte{0x11};
  ASSERT_TRUE(hardware_->fetch(true));
  EXPECT_EQ(std::to_integer<int>(outputs_[0].data[bytes]), 0x11);
  EXPECT_EQ(std::to_integer<int>(outputs_[0].data[-1]), 0x11);
}

TEST_F(Gpu, AProfilerSeesWhatItIsShown) {
  ASSERT_TRUE(place());
  ASSERT_TRUE(hardware_->send() && hardware_->show_profiler(true) && candidate_->call() &&
              hardware_->wait() && hardware_->show_profiler(false));
  const std::string said = log();
  EXPECT_NE(said.find("profiler work synchronize no_profiler"), said.npos) << said;
}

// A range is around an epoch or a single call, so that nothing is added to a timed one.
TEST_F(Gpu, AProfilerIsToldWhoseCallsItSees) {
  void* const profiler = ::dlopen(KBENCH_FAKE_NVTX, RTLD_NOW);
  const auto told = reinterpret_cast<const char* (*)()>(::dlsym(profiler, "fake_nvtx_told"));
  ::setenv(label_variable, "kbench#d/s@0:0123456789abcdef", 1);
  ::setenv(injection_variable, KBENCH_FAKE_NVTX, 1);
  const bool is_placed = place();
  ::unsetenv(label_variable);
  ::unsetenv(injection_variable);
  ASSERT_TRUE(is_placed);
  reinterpret_cast<void (*)()>(::dlsym(profiler, "fake_nvtx_forget"))();
  const std::string range = "push kbench#d/s@0:0123456789abcdef\npop\n";
  control_->command = worker::Command::call;
  ASSERT_TRUE(call());
  EXPECT_EQ(told(), range);
  control_->command = worker::Command::time;
  ASSERT_TRUE(hardware_->send());
  EXPECT_EQ(time({.samples = 4, .calls = 3}).size(), 4u);
  EXPECT_EQ(told(), range + range);
  EXPECT_EQ(time({.kind = CallKind::null, .samples = 4, .calls = 3}).size(), 4u);
  ASSERT_TRUE(hardware_->wait());
  EXPECT_EQ(told(), range + range);
  control_->command = worker::Command::null;  // an audit's, before there is a candidate
  ASSERT_TRUE(hardware_->send() && hardware_->wait());
  EXPECT_EQ(told(), range + range);
  control_->command = worker::Command::audit;
  ASSERT_TRUE(call());
  EXPECT_EQ(told(), range + range + range);
}

TEST_F(Gpu, AnInputThatWasWrittenToIsNamed) {
  ASSERT_TRUE(place());
  body = [](float* x, float*) { x[3] = 7; };
  EXPECT_FALSE(call());
  EXPECT_EQ(control_->answer, Answer::wrote_input);
  EXPECT_STREQ(control_->message, "0");
}

TEST_F(Gpu, AnInputThatMayBeWrittenToIsItsOwn) {
  control_->inputs[0].is_scratch = 1;
  ASSERT_TRUE(place());
  body = [](float* x, float*) { x[3] = 7; };
  ASSERT_TRUE(call());
  EXPECT_EQ(input()[3], 3);
  ASSERT_TRUE(hardware_->send());
  EXPECT_EQ(static_cast<float*>(inputs_[0].seen)[3], 3);
}

TEST_F(Gpu, ASampleIsQueuedWholeBeforeItBegins) {
  ASSERT_TRUE(place());
  Epochs epochs;
  epochs.calls = 3;
  epochs.warmups = 1;
  EXPECT_EQ(time(epochs), std::vector{3000L});
  EXPECT_EQ(log(), "work synchronize opened event work work work event synchronize");
  EXPECT_EQ(control_->calls, 4u);
}

TEST_F(Gpu, ASampleMayBeginAtOnce) {
  ASSERT_TRUE(place());
  Epochs epochs;
  epochs.at_once = 1;
  const auto samples = time(epochs);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_GE(samples[0], 1000);  // includes the host's time to queue it
  EXPECT_EQ(log(), "synchronize event work event synchronize");
}

TEST_F(Gpu, ColdIsWhenTheCacheWasSweptAndKeepsNothing) {
  ASSERT_TRUE(place());
  Epochs epochs;
  epochs.samples = 2;
  epochs.cold = 1;
  EXPECT_EQ(time(epochs), (std::vector{1000L, 1000L}));
  const std::string one = " limit reset opened fill event work event synchronize";
  EXPECT_EQ(log(), "synchronize" + one + one);
}

TEST_F(Gpu, ControlIsMemoryThatIsFilled) {
  ASSERT_TRUE(place());
  Epochs epochs;
  epochs.kind = CallKind::control;
  EXPECT_EQ(time(epochs), std::vector{2097L});  // fills twice the cache at 1 TB/s
  epochs.kind = CallKind::null;
  EXPECT_EQ(time(epochs), std::vector{0L});
}

TEST_F(Gpu, WhoWaitsForTheDeviceIsLetGoAndNotHeldBackAgain) {
  ASSERT_TRUE(place());
  body = [this](float* x, float* y) {
    pair_ = {x, y};
    launch(&double_all, &pair_, 1000);
    fake<decltype(fake_synchronize)>("fake_synchronize")();
  };
  Epochs epochs;
  epochs.samples = 3;
  for (const long ns : time(epochs)) EXPECT_GE(ns, 1000);
  const std::string all = log();
  EXPECT_EQ(all.find("opened"), all.rfind("opened"));
}

TEST_F(Gpu, WorkOnAnotherStreamIsWaitedForButNotInTheEvents) {
  ASSERT_TRUE(place());
  body = [this](float* x, float* y) {
    pair_ = {x, y};
    launch(&double_all, &pair_, 5000, 1);
  };
  EXPECT_EQ(time({}), std::vector{0L});
  ASSERT_TRUE(call());
  EXPECT_EQ(output()[1], 2);
}

TEST_F(Gpu, ActivityIsFromTheFirstKernelToTheLast) {
  Epochs epochs;
  epochs.kind = CallKind::activity;
  epochs.samples = 2;
  ASSERT_TRUE(place());
  EXPECT_TRUE(time(epochs).empty());  // no CUPTI
  EXPECT_EQ(control_->answer, Answer::none);
  hardware_ = std::make_unique<GpuHardware>(library, library);
  ASSERT_TRUE(place());
  body = [this](float* x, float* y) {
    pair_ = {x, y};
    launch(&double_all, &pair_, 1000);
    launch(&double_all, &pair_, 500);
  };
  EXPECT_EQ(time(epochs), (std::vector{1500L, 1500L}));
  body = [](float*, float*) {};
  EXPECT_TRUE(time(epochs).empty());  // nothing was begun
}

TEST_F(Gpu, AnErrorOfTheDeviceIsSaidWithItsNameAndNumber) {
  ASSERT_TRUE(place());
  fake<decltype(fake_break)>("fake_break")(CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_FALSE(call());
  EXPECT_EQ(control_->answer, Answer::device_failed);
  EXPECT_EQ(control_->device_error, 700);
  EXPECT_NE(std::string(control_->message).find("CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal"),
            std::string::npos)
      << control_->message;
  EXPECT_TRUE(time({}).empty());  // the error stays
}

TEST_F(Gpu, TooLittleMemoryIsAnErrorOfItsOwn) {
  fake<decltype(fake_set_free_memory)>("fake_set_free_memory")(1 << 20);
  EXPECT_FALSE(place());
  EXPECT_EQ(control_->device_error, CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Gpu, WithoutADriverSaysSo) {
  hardware_ = std::make_unique<GpuHardware>("libnosuchdriver.so.1");
  EXPECT_FALSE(place());
  EXPECT_EQ(control_->device_error, CUDA_ERROR_NO_DEVICE);
  EXPECT_NE(std::string(control_->message).find("libnosuchdriver.so.1"), std::string::npos);
}

}  // namespace
}  // namespace kbench::cuda
