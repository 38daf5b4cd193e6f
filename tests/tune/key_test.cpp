// Parts of a tuned configuration's key: docs/tuned-store.md.
#include "tune/key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

using Words = std::vector<std::string>;

Words changed_by(const std::function<void(TunedExample&)>& change) {
  TunedExample before;
  TunedExample after;
  change(after);
  const Words parts = differing_parts(before.key(), after.key());
  EXPECT_EQ(parts.empty(), short_key(before.key()) == short_key(after.key()));
  return parts;
}

TEST(TuningKey, K1_OtherValuesOfTensorsHaveTheSameKey) {
  EXPECT_EQ(changed_by([](TunedExample& e) {
              e.problem.inputs[0].source = SafetensorsInput{"safetensors", "a", "b"};
              e.problem.workload = "another";
            }),
            Words{});
}

TEST(TuningKey, K1_AnotherShapeHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) { e.set_length(65); }), Words{"axes"});
  EXPECT_EQ(changed_by([](TunedExample& e) {
              e.definition.axes["N"] = AxisConst{"const", 5};
            }),
            Words{"definition_digest"});
}

TEST(TuningKey, K1_AnotherDtypeHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) { e.problem.inputs[0].tensor.dtype = DType::bfloat16; }),
            Words{"dtypes"});
}

TEST(TuningKey, K1_AScalarThatItSpecialisesForHasAnotherAndOthersByType) {
  const auto with_scalar = [](TunedExample& e) {
    e.problem.inputs[1].source = ScalarInput{"scalar", 3.0};
  };
  EXPECT_EQ(changed_by(with_scalar), Words{});
  TunedExample two;
  two.tunables.specialise = {"s"};
  TunedExample three = two;
  with_scalar(three);
  EXPECT_EQ(differing_parts(two.key(), three.key()), Words{"scalars"});
  const TuningKey key = two.key();
  EXPECT_EQ(*key.scalars.find("s"), "2.0");
  // ejkernel takes tuple and list, or 1 and 1.0, as it comes; here an integer is no float.
  three.problem.inputs[1].source = ScalarInput{"scalar", std::int64_t{2}};
  EXPECT_EQ(differing_parts(two.key(), three.key()), Words{"scalars"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.problem.inputs[1].tensor.dtype = DType::int32; }),
            (Words{"dtypes", "scalars"}));
}

TEST(TuningKey, K1_AnotherMethodDirectionOrContextHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) { e.purpose.method = "vjp"; }), Words{"method"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.purpose.direction = "bwd"; }), Words{"direction"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.purpose.context = "sharded"; }), Words{"context"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.purpose.objective = "p10"; }), Words{"objective"});
}

// A bug of ejkernel: it has the same key for other shards.
TEST(TuningKey, K1_AnotherShardingHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) {
              e.purpose.shard = ShardPart{"M", 2};
            }),
            Words{"shard"});
  TunedExample by_m;
  by_m.purpose.shard = ShardPart{"M", 2};
  TunedExample by_n = by_m;
  by_n.purpose.shard = ShardPart{"N", 2};
  TunedExample by_four = by_m;
  by_four.purpose.shard = ShardPart{"M", 4};
  EXPECT_EQ(
      std::set({short_key(by_m.key()), short_key(by_n.key()), short_key(by_four.key())}).size(),
      3U);
}

// A bug of ejkernel: the same key for float32 and bfloat16 as an option, here an output's dtype.
TEST(TuningKey, K1_AnOptionThatIsADtypeHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) {
              e.definition.outputs["y"].dtype = DType::bfloat16;
              e.problem.outputs[0].dtype = DType::bfloat16;
            }),
            (Words{"definition_digest", "dtypes"}));
}

TEST(TuningKey, S13_AnotherVersionHasAnother) {
  EXPECT_EQ(changed_by([](TunedExample& e) { e.tunables.version = "1"; }), Words{"version"});
}

TEST(TuningKey, KnowsWhatRunsAndNotWhatIsSaidOfIt) {
  EXPECT_EQ(changed_by([](TunedExample& e) {
              e.definition.description = "x";
              e.definition.tags = {"a:b"};
              e.definition.inputs["x"].description = "y";
              e.solution.author = "another";
              e.solution.description = "z";
              e.tunables.heuristic.clear();
            }),
            Words{});
  const std::function<void(TunedExample&)> edits[] = {
      [](TunedExample& e) { e.solution.sources[0].content += " "; },
      [](TunedExample& e) { e.solution.spec.compile_flags = {{"-O1"}}; },
      [](TunedExample& e) { e.solution.spec.link_flags = {{"-lm"}}; },
      [](TunedExample& e) {
        e.solution.spec.launch = Launch{{std::int64_t{1}}, {}, {}, {}};
      },
      [](TunedExample& e) { e.methods["run"] = "run_tuned"; },
      [](TunedExample& e) { e.methods["prepare"] = "pack"; },
      [](TunedExample& e) { e.tunables.parameters[0].values.pop_back(); },
      [](TunedExample& e) { e.tunables.parameters[0].kind = ParameterKind::runtime; },
      [](TunedExample& e) {
        e.tunables.where.push_back({"BLOCK < 9", {}});
      }};
  for (const auto& edit : edits) EXPECT_EQ(changed_by(edit), Words{"solution_digest"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.definition.reference += " "; }),
            Words{"definition_digest"});
}

TEST(TuningKey, KnowsMachineAndCompiler) {
  EXPECT_EQ(changed_by([](TunedExample& e) { e.place.machine["cpu"] = "other"; }),
            Words{"machine"});
  EXPECT_EQ(changed_by([](TunedExample& e) { e.place.compiled["compiler"] = "c++ 13"; }),
            Words{"compiled"});
}

TEST(TuningKey, LengthsOfABucketShareOne) {
  TunedExample e;
  e.tunables.buckets["M"] = "pow2";
  const auto key_of = [&](std::int64_t m) {
    e.set_length(m);
    return short_key(e.key());
  };
  EXPECT_EQ(key_of(33), key_of(64));
  EXPECT_NE(key_of(64), key_of(65));
  e.set_length(65);
  const TuningKey key = e.key();
  EXPECT_EQ(*key.buckets.find("M"), "65..128");
  EXPECT_FALSE(key.axes.contains("M"));
}

// Rule of DESIGN §14: a declared key builder may add to a configuration's key.
TEST(TuningKey, ConditionsThatTheSolutionDeclaresTellLengthsOfABucketApart) {
  TunedExample e;
  e.tunables.buckets["M"] = "pow2";
  e.tunables.key = {{"M % 16 == 0", {}}, {"64 % (M - 33) == 0", {}}};
  const auto declared_at = [&](std::int64_t m) {
    e.set_length(m);
    const OrderedMap<std::string> declared = *e.key().declared;
    return *declared.find("M % 16 == 0") + " " + *declared.find("64 % (M - 33) == 0");
  };
  EXPECT_EQ(declared_at(48), "true false");
  EXPECT_EQ(declared_at(49), "false true");
  EXPECT_EQ(declared_at(33), "false none");
  e.set_length(48);
  const TuningKey aligned = e.key();
  e.set_length(64);
  EXPECT_EQ(short_key(aligned), short_key(e.key()));
  e.set_length(63);
  EXPECT_EQ(differing_parts(aligned, e.key()), Words{"declared"});
}

// One of them would otherwise find what is forbidden to it, or store what is slower for the other.
TEST(TuningKey, LengthsOfABucketAtWhichOthersAreAllowedAreToldApart) {
  TunedExample e;
  e.tunables.buckets["M"] = "pow2";
  e.tunables.where = {{"M % 2 == 0 or BLOCK < 2", {}}, {"BLOCK < 50", {}}};
  const auto at = [&](std::int64_t m) {
    e.set_length(m);
    return e.key();
  };
  EXPECT_EQ(*at(48).declared->find("M % 2 == 0 or BLOCK < 2"), "true");
  EXPECT_EQ(*at(49).declared->find("M % 2 == 0 or BLOCK < 2"), "BLOCK 1000000");
  EXPECT_EQ(at(49).declared->size(), 1U);
  EXPECT_EQ(short_key(at(48)), short_key(at(64)));
  EXPECT_EQ(short_key(at(49)), short_key(at(63)));
  EXPECT_EQ(differing_parts(at(48), at(49)), Words{"declared"});
  e.tunables.buckets = {};
  EXPECT_FALSE(at(48).declared);
}

TEST(TuningKey, OfTooManyCombinationsTheLengthItselfTellsThemApart) {
  TunedExample e;
  e.tunables.buckets["M"] = "pow2";
  for (const char* const name : {"A", "B", "C"}) {
    Parameter many{name, ParameterKind::define, {}, {}};
    for (std::int64_t i = 0; i < 64; ++i) many.values.emplace_back(i);
    e.tunables.parameters.push_back(std::move(many));
  }
  e.tunables.where = {{"A * B * C <= M", {}}, {"A * B <= M", {}}};
  e.set_length(48);
  EXPECT_EQ(*e.key().declared->find("A * B * C <= M"), "M=48");
  EXPECT_EQ(e.key().declared->find("A * B <= M")->size(), 4U + 16U);
}

TEST(TuningKey, BucketsEndAtPowersOfTwo) {
  EXPECT_EQ(pow2_bucket(0), "0");
  EXPECT_EQ(pow2_bucket(1), "1");
  EXPECT_EQ(pow2_bucket(2), "2");
  EXPECT_EQ(pow2_bucket(3), "3..4");
  EXPECT_EQ(pow2_bucket(4), "3..4");
  EXPECT_EQ(pow2_bucket(48), "33..64");
  EXPECT_EQ(pow2_bucket(INT64_MAX), "4611686018427387905..");
}

// The digest is written down, since what is stored under a key must be found again by later
// versions. Python's json.dumps(…, sort_keys=True, separators=(",", ":")) gives it.
TEST(TuningKey, HasADigestThatStays) {
  TunedExample e;
  EXPECT_EQ(short_key(e.key()), digest_of(e.key()).substr(0, 16));
  TuningKey key;
  key.definition = "d";
  key.solution = "s";
  key.axes["N"] = 1;
  key.axes["M"] = 2;
  TuningKey turned = key;
  turned.axes = {};
  turned.axes["M"] = 2;
  turned.axes["N"] = 1;
  EXPECT_EQ(digest_of(key), digest_of(turned));
  EXPECT_EQ(short_key(key), "24f685754001d4ec");
}

TEST(MachineParts, AreOfTheCpuOrTheGpu) {
  const auto cpu = cpu_fingerprint(
      "processor: 0\nvendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nmodel name : EPYC\n"
      "stepping : 1\nflags : fpu avx2 md_clear sse2 fma hypervisor\n");
  EXPECT_EQ(cpu.name, "AuthenticAMD 25-17-1 EPYC");
  EXPECT_EQ(cpu.units, (Words{"avx2", "fma", "sse2"}));
  const auto parts = machine_parts(cpu, 2);
  EXPECT_EQ(*parts.find("cpu"), cpu.name);
  EXPECT_EQ(*parts.find("threads"), "2");
  const auto of_one = machine_parts(cpu, 1);
  EXPECT_EQ(*of_one.find("threads"), "1");
  Gpu gpu;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-1";
  TunedExample one;
  one.place.machine = machine_parts(gpu);
  TunedExample another = one;
  gpu.uuid = "GPU-2";  // a second one of the same kind
  another.place.machine = machine_parts(gpu);
  EXPECT_EQ(short_key(one.key()), short_key(another.key()));
}

TEST(MachineParts, OfThisMachineAreKnown) {
  const auto cpu = cpu_fingerprint();
  EXPECT_GT(cpu.name.size(), 5U);
  EXPECT_FALSE(cpu.units.empty());
}

TEST(CompiledParts, AreThoseOfWhatIsCompiled) {
  const Toolchain toolchain = system_toolchain();
  TunedExample e;
  const auto parts = compiled_parts(e.solution, toolchain);
  EXPECT_NE(parts.find("compiler")->find("c++"), std::string::npos);
  EXPECT_NE(parts.find("flags")->find("-O"), std::string::npos);
  e.solution.spec.language = Language::python;
  EXPECT_TRUE(compiled_parts(e.solution, toolchain).empty());
}

}  // namespace
}  // namespace kbench
