#include "exec/failure.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <memory>

namespace kbench {
namespace {

using worker::Answer;
using worker::Control;
using worker::Phase;

class Failure : public testing::Test {
 protected:
  // It is too large for a stack that sanitizers widen.
  std::unique_ptr<Control> control_ = std::make_unique<Control>();
  Death death_;

  void SetUp() override {
    control_->phase = Phase::calling;
    control_->fault_phase = Phase::calling;
    control_->destination_passing = 1;
    control_->calls = 3;
    control_->input_count = 1;
    control_->output_count = 1;
    control_->inputs[0].kind = worker::ArgumentKind::tensor;
    control_->inputs[0].bytes = 100;
    control_->input_addresses[0] = 0x10000000;
    control_->outputs[0].bytes = 100;
    control_->output_addresses[0] = 0x20000000;
    death_.memory_limit = 1 << 30;
  }
  void fault(std::uint64_t address, int code = SEGV_ACCERR) {
    control_->fault_signal = SIGSEGV;
    control_->fault_code = code;
    control_->fault_address = address;
    death_.status = {false, SIGSEGV};
  }
  CandidateFailure of_death() const { return failure_of_death(*control_, death_, {{"x"}, {"y"}}); }
};

TEST_F(Failure, ASignalIsNamedWithItsCall) {
  death_.status = {false, SIGABRT};
  EXPECT_EQ(of_death().cause, "CRASHED SIGABRT in call 3");
  EXPECT_EQ(of_death().status, Status::runtime_error);
}

TEST_F(Failure, AFaultIsToldByItsAddress) {
  fault(0x10000010);
  EXPECT_EQ(of_death().cause,
            "CRASHED SIGSEGV in call 3: wrote to input \"x\", which is read-only");
  EXPECT_TRUE(of_death().wrote_input);
  fault(0x10000000 + 100);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of input \"x\"");
  EXPECT_FALSE(of_death().wrote_input);
  fault(0x20000000 - 1);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of output \"y\"");
  fault(8);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: null pointer");
  fault(0, SI_KERNEL);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: an address that no pointer can have");
  fault(0x70000000);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3");
}

TEST_F(Failure, WhatPrepareDoesIsNoCall) {
  control_->command = worker::Command::prepare;
  control_->phase = control_->fault_phase = Phase::preparing;
  control_->calls = 0;
  fault(64);
  EXPECT_EQ(of_death().cause,
            "CRASHED SIGSEGV in prepare: null pointer: there, tensors have no data");
  fault(0x100000);
  EXPECT_EQ(of_death().cause,
            "CRASHED SIGSEGV in prepare: null pointer: there, tensors have no data");
  death_.timed_out = true;
  death_.seconds = 1;
  EXPECT_EQ(of_death().status, Status::timeout);
  EXPECT_EQ(of_death().cause, "time limit of 1.00 s in prepare");
  control_->phase = Phase::waiting;
  death_.timed_out = false;
  death_.status = {false, SIGABRT};
  EXPECT_EQ(of_death().cause, "CRASHED SIGABRT after prepare");
  control_->answer = Answer::call_failed;
  std::strcpy(control_->message, "ValueError: no workspace");
  const auto failure = failure_of_answer(*control_, {{"x"}, {"y"}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, "prepare returned an error: ValueError: no workspace");
}

TEST_F(Failure, AFaultBesideAllocatedMemoryIsToldByItsSize) {
  control_->destination_passing = 0;
  control_->allocations[0] = {0x30000000, 100};
  control_->allocations[1] = {0x40000000, 64};
  fault(0x30000000 + 100);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of result 0");
  fault(0x40000000 + 64);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of a tensor it allocated");
  control_->output_count = 2;
  control_->outputs[1].bytes = 100;
  fault(0x30000000 + 100);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of a result");
}

TEST_F(Failure, AWriteToAnOutputBetweenCallsIsLate) {
  fault(0x20000000);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of output \"y\"");
  for (const Phase phase : {Phase::waiting, Phase::collecting}) {
    control_->fault_phase = phase;
    EXPECT_EQ(of_death().cause, "LATE_WRITE: wrote to output \"y\" after its call had returned");
  }
  fault(0x20000000 + 100);
  EXPECT_EQ(of_death().cause, "CRASHED SIGSEGV in call 3: out of bounds of output \"y\"");
}

TEST_F(Failure, AnEarlyExitIsNoSuccess) {
  death_.status = {true, 0};
  EXPECT_EQ(of_death().cause, "EXITED with 0 in call 3");
  control_->phase = Phase::loading;
  EXPECT_EQ(of_death().cause, "EXITED with 0 while the library was loaded");
}

TEST_F(Failure, LimitsAreNamed) {
  death_.status = {false, SIGXFSZ};
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT file size in call 3");
  death_.status = {false, SIGKILL};
  death_.peak_bytes = 1 << 30;
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT memory: over 1.00 GiB in call 3");
  death_.tensor_bytes = 1 << 30;  // the tensors are what is large
  EXPECT_EQ(of_death().cause, "CRASHED SIGKILL in call 3");
  EXPECT_EQ(of_death().signal, SIGKILL);
  control_->out_of_memory = 1;
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT memory: over 1.00 GiB in call 3");
  death_.filled_disk = true;
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT disk: its folder takes more than 64.0 MiB in call 3");
  death_.flooded = true;
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT output: it printed too much in call 3");
}

TEST_F(Failure, WhomTheKernelEndedForWantOfMemoryIsKnown) {
  death_.status = {false, SIGKILL};
  death_.out_of_memory = true;  // its own peak may have been small: shared memory, a file
  EXPECT_EQ(of_death().cause, "RESOURCE_LIMIT memory: over 1.00 GiB in call 3");
}

TEST_F(Failure, ATimeLimitComesFirst) {
  death_.timed_out = true;
  death_.seconds = 2;
  death_.status = {false, SIGKILL};
  EXPECT_EQ(of_death().status, Status::timeout);
  EXPECT_EQ(of_death().cause, "time limit of 2.00 s in call 3");
}

TEST_F(Failure, AnswersHaveTheirStatus) {
  const auto answer = [this](Answer what, const char* message) {
    control_->answer = what;
    std::strcpy(control_->message, message);
    return failure_of_answer(*control_, {{"x"}, {"y"}});
  };
  EXPECT_FALSE(answer(Answer::done, "").has_value());
  EXPECT_EQ(answer(Answer::load_failed, "no symbol")->status, Status::compile_error);
  EXPECT_EQ(answer(Answer::load_failed, "no symbol")->cause, "LOAD_ERROR: no symbol");
  EXPECT_EQ(answer(Answer::call_failed, "ValueError: n")->cause,
            "call 3 returned an error: ValueError: n");
  EXPECT_EQ(answer(Answer::call_failed, "NotImplementedError: n")->status, Status::runtime_error);
  EXPECT_EQ(answer(Answer::call_failed, "NotImplementedError: n")->cause,
            "UNSUPPORTED in call 3: n");
  EXPECT_EQ(answer(Answer::call_failed, "ValueError: Not Supported: NotImplementedError: n")->cause,
            "call 3 returned an error: ValueError: Not Supported: NotImplementedError: n");
  EXPECT_EQ(answer(Answer::wrong_results, "returned 0 values")->status, Status::runtime_error);
  EXPECT_EQ(answer(Answer::none, "")->cause,
            "PROTOCOL_ERROR: the worker said done without an answer");
}

TEST_F(Failure, OutputsThatAreNotPassedAreSaidToBe) {
  const std::string mismatch =
      "TypeError: takes 3 arguments, called with 2: inputs in order, then outputs";
  control_->answer = Answer::call_failed;
  std::strcpy(control_->message, mismatch.c_str());
  const auto cause = [this](int inputs, int outputs, bool passed) {
    control_->input_count = inputs;
    control_->output_count = outputs;
    control_->destination_passing = passed ? 1 : 0;
    return failure_of_answer(*control_, {{"x"}, {"y"}})->cause;
  };
  const std::string said = "call 3 returned an error: " + mismatch;
  EXPECT_EQ(cause(2, 1, false),
            said + " (\"destination_passing_style\" is false: outputs are not passed)");
  EXPECT_EQ(cause(2, 1, true), said);
  EXPECT_EQ(cause(2, 2, false), said);
}

TEST_F(Failure, AForgedControlBlockIsReadWithinItsBounds) {
  std::memset(static_cast<void*>(control_.get()), 0xFF, sizeof(Control));
  death_.status = {false, SIGSEGV};
  EXPECT_FALSE(of_death().cause.empty());
  control_->answer = Answer::load_failed;
  EXPECT_LE(failure_of_answer(*control_, {{"x"}, {"y"}})->cause.size(),
            worker::message_bytes + 20U);
}

TEST_F(Failure, ASanitizersReportNamesTheTensorAndTheLine) {
  const TensorNames names{{"x"}, {"y"}};
  const auto cause = [&](const SanitizerReport& report) {
    const CandidateFailure failure = failure_of_report(report, *control_, names);
    EXPECT_EQ(failure.status, Status::runtime_error);
    return failure.cause;
  };
  SanitizerReport report{"use-after-poison", "read of 4 bytes", 0x10000064, "kernel.cpp:9", ""};
  EXPECT_EQ(cause(report),
            "SANITIZER out of bounds of input \"x\" (read of 4 bytes) at kernel.cpp:9 in call 3");
  report.address = 0x40;
  EXPECT_EQ(cause(report),
            "SANITIZER use-after-poison (read of 4 bytes) at kernel.cpp:9 in call 3");
  EXPECT_EQ(cause({"load of misaligned address", "", 0x10000001, "", ""}),
            "SANITIZER load of misaligned address in call 3");
  EXPECT_EQ(cause({"allocator is out of memory trying to allocate", "", {}, "", ""}),
            "RESOURCE_LIMIT memory in call 3");
}

}  // namespace
}  // namespace kbench
