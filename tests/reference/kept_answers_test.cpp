// Answers that are kept from one run to the next.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "reference/evaluator_case.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

struct Asked {
  ReferenceRequest request;
  Inputs inputs{SharedMemory("test inputs", 2 * page), {}};
  std::string evaluator = "kbench-torch";
  std::string machine = "a machine";

  Asked() {
    request.reference = "def run(x, y, n):\n    return x + y\n";
    request.inputs = {{"x", DType::float32, false, {}, {2, 3}, 0, 24},
                      {"y", DType::float32, false, {}, {2, 3}, page, 24},
                      {"n", DType::int64, true, Scalar{std::int64_t{1}}}};
    for (const ReferenceArgument& input : request.inputs) {
      BoundInput& bound = inputs.values.emplace_back();
      bound.offset = input.offset;
      bound.tensor.bytes = input.bytes;
      if (input.is_scalar) bound.scalar = input.scalar;
    }
    request.outputs = {{"z", DType::float32}};
  }
  std::string key() const { return answer_key(request, inputs, evaluator, machine); }
};

std::string key_after(const std::function<void(Asked&)>& change) {
  Asked asked;
  change(asked);
  return asked.key();
}

TEST(AnswerKey, ChangesWithAllThatAnAnswerRestsOn) {
  const std::function<void(Asked&)> changes[] = {
      [](Asked&) {},
      [](Asked& a) { a.request.reference += "\n"; },
      [](Asked& a) { a.request.inputs[0].name = "w"; },
      [](Asked& a) { a.request.inputs[0].dtype = DType::int32; },
      [](Asked& a) {
        a.request.inputs[0].shape = {3, 2};
      },
      [](Asked& a) { a.request.inputs[2].scalar = Scalar{std::int64_t{2}}; },
      [](Asked& a) { a.request.inputs[2].scalar = Scalar{1.0}; },
      [](Asked& a) { a.request.inputs[2].scalar = Scalar{true}; },
      [](Asked& a) { std::swap(a.request.inputs[0].name, a.request.inputs[1].name); },
      [](Asked& a) { a.inputs.memory.data()[0] = std::byte{1}; },
      [](Asked& a) { a.inputs.memory.data()[23] = std::byte{1}; },
      [](Asked& a) { a.inputs.memory.data()[page] = std::byte{1}; },
      [](Asked& a) { a.inputs.values[0].origin = "random 0 0 0"; },
      [](Asked& a) { a.inputs.values[0].origin = "random 0 0 1"; },
      [](Asked& a) { a.inputs.values[1].origin = "random 0 0 1"; },
      [](Asked& a) { a.request.outputs[0].name = "y"; },
      [](Asked& a) { a.request.outputs[0].dtype = DType::float16; },
      [](Asked& a) {
        a.request.outputs.push_back({"s", DType::float32});
      },
      [](Asked& a) { a.request.effort.watch = true; },
      [](Asked& a) { a.request.threads = 7; },
      [](Asked& a) { a.request.evaluator = Evaluator::python; },
      [](Asked& a) { a.evaluator += " of another build"; },
      [](Asked& a) { a.machine = "another machine"; }};
  std::set<std::string> keys;
  for (const auto& change : changes) keys.insert(key_after(change));
  EXPECT_EQ(keys.size(), std::size(changes));
}

TEST(AnswerKey, IsTheSameForWhatChangesNoAnswer) {
  const std::string key = Asked().key();
  EXPECT_EQ(key_after([](Asked& a) { a.request.seconds = 1; }), key);
  EXPECT_EQ(key_after([](Asked& a) { a.request.bytes = 1; }), key);
  EXPECT_EQ(key_after([](Asked& a) { a.inputs.memory.data()[24] = std::byte{1}; }),
            key);  // padding
}

TEST(AnswerKey, BytesAreNotReadWhereTheirOriginIsKnown) {
  const auto key_of = [](std::byte first) {
    return key_after([&](Asked& a) {
      a.inputs.values[0].origin = "random 0 0 0";
      a.inputs.memory.data()[0] = first;
    });
  };
  EXPECT_EQ(key_of(std::byte{0}), key_of(std::byte{1}));
}

TEST(EvaluatorIdentity, ChangesWithTheProgram) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "kbench-torch";
  const std::string absent = evaluator_identity(file);
  write_file(file, "one");
  const std::string one = evaluator_identity(file);
  EXPECT_EQ(evaluator_identity(file), one);
  write_file(file, "another");
  EXPECT_EQ((std::set{absent, one, evaluator_identity(file)}.size()), 3U);
}

TEST(EvaluatorIdentity, IsByContentTheSameWhereverTheProgramLies) {
  const TempFolder folder;
  const std::filesystem::path here = folder.path() / "kbench-torch";
  const std::filesystem::path there = folder.path() / "another-name";
  write_file(here, "one");
  write_file(there, "one");
  EXPECT_EQ(evaluator_identity(here, true), evaluator_identity(there, true));
  EXPECT_NE(evaluator_identity(here), evaluator_identity(there));
  write_file(there, "another");
  EXPECT_NE(evaluator_identity(here, true), evaluator_identity(there, true));
}

class KeptAnswers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "kbench-torch is not built";
  }
  ReferenceEvaluator evaluator() {
    return ReferenceEvaluator(program, {}, 1, never_stopped, {&cache_, "this machine"});
  }
  static ReferenceAnswer ask(ReferenceEvaluator& evaluator, const Case& c) {
    return evaluator.evaluate(c.definition, c.problem, c.inputs, {});
  }

  TempFolder folder_;
  Cache cache_{folder_.path(), {1 << 20, 1 << 20}};
};

TEST_F(KeptAnswers, TheNextRunFindsIt) {
  const Case c = add_case();
  ReferenceEvaluator first = evaluator();
  const ReferenceAnswer fresh = ask(first, c);
  ASSERT_EQ(fresh.outcome, Outcome::ok) << fresh.message;
  EXPECT_FALSE(fresh.is_kept);
  ReferenceEvaluator second = evaluator();
  EXPECT_TRUE(second.keeps(c.definition, c.problem, c.inputs, {}));
  EXPECT_FALSE(second.keeps(c.definition, c.problem, c.inputs, {.watch = true}));
  const ReferenceAnswer kept = ask(second, c);
  EXPECT_EQ(kept.outcome, Outcome::ok);
  EXPECT_TRUE(kept.is_kept);
  EXPECT_EQ(kept.call_ns, fresh.call_ns);
  ASSERT_EQ(kept.outputs.size(), 1U);
  EXPECT_EQ(kept.outputs[0].shape, fresh.outputs[0].shape);
  EXPECT_EQ(values<float>(kept.outputs[0]), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(second.torch_version(), first.torch_version());
}

TEST_F(KeptAnswers, AnotherChoiceOfEvaluatorIsAnotherAnswer) {
  const Case c = add_case();
  ReferenceEvaluator any = evaluator();
  ASSERT_EQ(ask(any, c).outcome, Outcome::ok);
  ReferenceLimits limits;
  limits.evaluator = EvaluatorChoice::libtorch;
  ReferenceEvaluator one(program, limits, 1, never_stopped, {&cache_, "this machine"});
  EXPECT_FALSE(ask(one, c).is_kept);
  EXPECT_TRUE(ask(one, c).is_kept);
  EXPECT_TRUE(ask(any, c).is_kept);
}

TEST_F(KeptAnswers, AFailureIsEvaluatedAgain) {
  Case c("def run(x):\n    assert x.numel() == 0\n    return x\n");
  c.floats("x", {1}).output("y").seal();
  ReferenceEvaluator first = evaluator();
  EXPECT_EQ(ask(first, c).outcome, Outcome::failed);
  EXPECT_EQ(cache_.use().entries, 0U);
}

// Its digest is right, but no kbench of this version wrote it.
TEST_F(KeptAnswers, WhatCannotBeReadIsEvaluatedAgain) {
  const Case c = add_case();
  ReferenceEvaluator first = evaluator();
  ask(first, c);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    if (name != "lock") cache_.insert(name, "2.0\nlibtorch\n{}", "");
  }
  ReferenceEvaluator second = evaluator();
  const ReferenceAnswer answer = ask(second, c);
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_FALSE(answer.is_kept);
}

}  // namespace
}  // namespace kbench
