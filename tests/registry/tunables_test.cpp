// Configurations as a Solution declares them.
#include "kernels/registry/tunables.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/sidecar.hpp"
#include "schema/read.hpp"
#include "support/said.hpp"

namespace kbench {
namespace {

using ReadTunables = ReadText<Tunables>;

ReadTunables read_tunables(const std::string& yaml) {
  Diagnostics out;
  return {read_sidecar({"kbench.yaml", yaml}, out).tunables, text_of(out)};
}

constexpr const char* gemm =
    "params:\n"
    "  BLOCK: {kind: define, values: [64, 128, 256]}\n"
    "  VEC: [1, 2, 4]\n"
    "  threads: {kind: runtime, values: [1, 2]}\n"
    "where:\n"
    "  - BLOCK * VEC <= 512\n"
    "  - N % VEC == 0\n"
    "heuristic:\n"
    "  - {if: M >= 64, cfg: {BLOCK: 256, VEC: 2, threads: 2}}\n"
    "  - cfg: {BLOCK: 64, VEC: 4, threads: 1}\n"
    "version: 3\n"
    "bucket: {M: pow2}\n"
    "specialise: [eps]\n"
    "key: [\"M % 16 == 0\"]\n";

CallFacts axes(std::int64_t m, std::int64_t n) {
  CallFacts out;
  out["M"] = m;
  out["N"] = n;
  return out;
}

Configuration configuration(std::string_view text) {
  return std::get<Configuration>(parse_configuration(text));
}

TEST(Tunables, AreReadAsTheyAreDeclared) {
  const ReadTunables r = read_tunables(gemm);
  EXPECT_EQ(r.messages, "");
  ASSERT_EQ(r.value.parameters.size(), 3U);
  EXPECT_EQ(r.value.parameters[1].name, "VEC");
  EXPECT_EQ(r.value.parameters[1].kind, ParameterKind::define);
  EXPECT_EQ(r.value.parameters[2].kind, ParameterKind::runtime);
  EXPECT_EQ(r.value.where.size(), 2U);
  EXPECT_EQ(r.value.version, "3");
  EXPECT_EQ(*r.value.buckets.find("M"), "pow2");
  EXPECT_EQ(r.value.specialise, std::vector<std::string>{"eps"});
  ASSERT_EQ(r.value.key.size(), 1U);
  EXPECT_EQ(r.value.key[0].text, "M % 16 == 0");
}

TEST(Tunables, TheHeuristicGoesByTheAxes) {
  const Tunables t = read_tunables(gemm).value;
  EXPECT_EQ(configuration_text(*heuristic_configuration(t, axes(64, 8))),
            "BLOCK=256,VEC=2,threads=2");
  EXPECT_EQ(configuration_text(*heuristic_configuration(t, axes(63, 8))),
            "BLOCK=64,VEC=4,threads=1");
}

TEST(Tunables, WithoutAHeuristicTheFirstThatIsAllowedServes) {
  const Tunables t =
      read_tunables("params: {A: [4, 2], B: [3, 1]}\nwhere: [\"A + B < 5\"]\n").value;
  EXPECT_EQ(configuration_text(*heuristic_configuration(t, {})), "A=2,B=1");
  const Tunables none = read_tunables("params: {A: [4, 2]}\nwhere: [\"A > 5\"]\n").value;
  EXPECT_FALSE(heuristic_configuration(none, {}));
}

TEST(Tunables, ARowThatTheConditionsForbidGivesWayToTheNext) {
  const Tunables t = read_tunables(gemm).value;
  EXPECT_EQ(configuration_text(*heuristic_configuration(t, axes(64, 8))),
            "BLOCK=256,VEC=2,threads=2");
  EXPECT_EQ(configuration_text(*heuristic_configuration(t, axes(64, 7))),
            "BLOCK=64,VEC=1,threads=1");  // no row fits: 7 is odd
  const auto skipped = skipped_rows(t, axes(64, 7));
  ASSERT_EQ(skipped.size(), 2U);
  EXPECT_EQ(skipped[0],
            "the heuristic's BLOCK=256,VEC=2,threads=2 (kbench.yaml:9) does not fit: N % VEC == 0 "
            "does not hold: N = 7, VEC = 2");
  EXPECT_TRUE(skipped_rows(t, axes(64, 8)).empty());
}

TEST(Tunables, ListedCandidatesAreForTheirCalls) {
  const ReadTunables r = read_tunables(
      "candidates:\n"
      "  - cfg: {BLOCK: 64, LAYOUT: row}\n"
      "  - {if: M > 8, cfg: {BLOCK: 256, LAYOUT: column}}\n"
      "  - {if: backend == gpu, cfg: {BLOCK: 128, LAYOUT: row}}\n"
      "where: [BLOCK <= N]\n");
  EXPECT_EQ(r.messages, "");
  ASSERT_EQ(r.value.parameters.size(), 2U);
  EXPECT_EQ(r.value.parameters[0].values.size(), 3U);
  const auto texts = [&](const CallFacts& facts) {
    std::string out;
    for (const Configuration& one : candidates_for(r.value, facts))
      out += configuration_text(one) + ";";
    return out;
  };
  EXPECT_EQ(texts(axes(8, 512)), "BLOCK=64,LAYOUT=row;");
  EXPECT_EQ(texts(axes(9, 512)), "BLOCK=64,LAYOUT=row;BLOCK=256,LAYOUT=column;");
  EXPECT_EQ(texts(axes(9, 128)), "BLOCK=64,LAYOUT=row;");
  EXPECT_EQ(texts(with_facts(axes(8, 512), implementation_facts("cuda", {"gpu", ""}))),
            "BLOCK=64,LAYOUT=row;BLOCK=128,LAYOUT=row;");
  EXPECT_EQ(configuration_text(*heuristic_configuration(r.value, axes(9, 512))),
            "BLOCK=64,LAYOUT=row");
  EXPECT_FALSE(heuristic_configuration(r.value, axes(9, 1)));
}

// A space of 10^12, of whose last parameters none is looked at.
TEST(Tunables, WhatIsForbiddenIsLeftWithoutTryingTheRest) {
  std::string text = "params:\n  A: [1, 2, 3]\n  B: [1, 2, 3]\n";
  for (char name = 'C'; name <= 'Z'; ++name) text += std::string("  ") + name + ": [1, 2, 3]\n";
  const Tunables t = read_tunables(text + "where: [\"A * B == M\"]\n").value;
  EXPECT_FALSE(heuristic_configuration(t, axes(7, 1)));
  const auto found = heuristic_configuration(t, axes(6, 1));
  ASSERT_TRUE(found);
  EXPECT_EQ(configuration_text(*found).substr(0, 12), "A=2,B=3,C=1,");
}

TEST(Tunables, SayWhatDoesNotFit) {
  const Tunables t = read_tunables(gemm).value;
  const auto wrong = [&](std::string_view text, std::int64_t n = 8) {
    return unfit(configuration(text), t, axes(1, n));
  };
  EXPECT_EQ(wrong("BLOCK=64,VEC=4,threads=1"), "");
  EXPECT_EQ(wrong("BLOCK=64,VEC=4"), "threads has no value");
  EXPECT_EQ(wrong("BLOCK=64,VEC=3,threads=1"), "VEC is 3: it can be 1, 2, 4");
  EXPECT_EQ(wrong("BLOCK=64,VECS=4,threads=1"),
            "\"VECS\" is no parameter: there are BLOCK, VEC, threads");
  EXPECT_EQ(wrong("BLOCK=256,VEC=4,threads=1"),
            "BLOCK * VEC <= 512 does not hold: BLOCK = 256, VEC = 4");
  EXPECT_EQ(wrong("BLOCK=64,VEC=4,threads=1", 6), "N % VEC == 0 does not hold: N = 6, VEC = 4");
}

TEST(Tunables, AConfiguredSolutionIsAnother) {
  Solution solution;
  const Tunables t = read_tunables(gemm).value;
  const Solution one = with_configuration(solution, t, configuration("BLOCK=64,VEC=4,threads=2"));
  ASSERT_TRUE(one.spec.configuration);
  EXPECT_EQ(configuration_text(one.spec.configuration->define), "BLOCK=64,VEC=4");
  EXPECT_EQ(configuration_text(one.spec.configuration->runtime), "threads=2");
}

TEST(Tunables, MistakesAreSaidWithTheirPlaces) {
  struct Row {
    const char* yaml;
    const char* messages;
  };
  const Row rows[] = {
      {"params: [a]\n",
       "1:9: must be a map from names to values, not [\"a\"] (as in params: {BLOCK: {values: [64, "
       "128]}})\n"},
      {"params: {1a: [1]}\n",
       "1:10: \"1a\" is no name of a parameter (letters, digits and _, as of a macro)\n"},
      {"params: {A: {kind: define}}\n", "1:10: A has no values\n"},
      {"params: {A: {kind: macro, values: [1]}}\n",
       "1:20: must be define or runtime, not 'macro' (a macro of the compiler, or a value that "
       "each "
       "call passes)\n"},
      {"params: {A: {value: [1]}}\n",
       "1:14: unknown key \"value\" (a parameter has values, and its kind: define or runtime)\n"
       "1:10: A has no values\n"},
      {"params: {A: 3}\n",
       "1:13: must be a list of values, or a map with values, not 3 (as in [64, 128], or {kind: "
       "runtime, values: [64, 128]})\n"},
      {"params: {A: [1], A: [2]}\n", "1:18: A stands here twice (the other one: kbench.yaml:1)\n"},
      {"params: {A: {values: [1], values: [2]}}\n",
       "1:27: values stands here twice (the other one: kbench.yaml:1)\n"},
      {"params: {A: []}\n", "1:13: must be a list of values, not [] (at least one)\n"},
      {"params: {A: [1, 1]}\n", "1:17: 1 stands there twice\n"},
      {"params: {A: [\"a b\"]}\n", "1:14: must be a number, true, false or a word, not 'a b'\n"},
      {"params: {A: [1]}\nwhere: [A <=]\n",
       "2:13: invalid syntax (a comparison, as in n % 16 == 0)\n"},
      {"params: {A: [1]}\nheuristic: [{cfg: {B: 1}}]\n",
       "2:23: \"B\" is no parameter: there are A\n"},
      {"params: {A: [1], B: [2]}\nheuristic: [{cfg: {A: 1}}]\n", "2:19: B has no value here\n"},
      {"params: {A: [1]}\nheuristic: [{cfg: {A: 2}}]\n", "2:23: A is 2: it can be 1\n"},
      {"params: {A: [1]}\nheuristic: [{cfg: {A: \"1\"}}]\n",
       "2:23: A is the word \"1\": it can be 1\n"},
      {"params: {A: [1]}\nheuristic: [{iff: x, cfg: {A: 1}}]\n",
       "2:14: unknown key \"iff\" (a row has cfg, and if: for which calls)\n"},
      {"params: {A: [1, 2]}\nheuristic: [{cfg: {A: 1}}, {cfg: {A: 2}}]\n",
       "2:28: is never reached: the row before it has no condition\n"},
      {"params: {A: [1]}\nbucket: {M: log}\n",
       "2:13: must be pow2, not 'log' (all lengths up to the next power of two)\n"},
      {"heuristic: []\n", "1:1: heuristic is of configurations, and there are no params\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(read_tunables(row.yaml).messages, row.messages) << row.yaml;
}

Solution solution_in(Language language) {
  Solution solution;
  solution.name = "mine";
  solution.spec.language = language;
  return solution;
}

TEST(Tunables, MacrosAreOfLanguagesThatHaveThem) {
  const auto said = [](const std::string& yaml, Language language) {
    Diagnostics out;
    check_tunables(read_tunables(yaml).value, solution_in(language), {}, out);
    return text_of(out);
  };
  EXPECT_EQ(said("params: {B: [1]}\n", Language::cuda), "");
  EXPECT_EQ(said("params: {A: {kind: runtime, values: [row]}}\n", Language::cpp),
            "1:10: A can be row: a call passes numbers, true and false (words can be macros: kind: "
            "define)\n");
  EXPECT_EQ(said("params: {A: {kind: runtime, values: [row]}}\n", Language::python), "");
  EXPECT_EQ(said("params: {int: [1]}\n", Language::cpp),
            "1:10: int is a word of C++ or of its headers, and so no name of a macro\n");
  EXPECT_EQ(
      said("params: {B: [1]}\n", Language::python),
      "1:10: B is a macro, and mine is in python, which has none (with {kind: runtime, values: "
      "[…]} it is passed in each call, after the inputs)\n");
  EXPECT_EQ(said("params: {B: {kind: runtime, values: [1]}}\n", Language::python), "");
}

TEST(Tunables, AreCheckedBesideTheirDefinition) {
  Definition definition;
  definition.name = "gemm";
  definition.axes["M"] = AxisVar{};
  definition.inputs["A"] = TensorSpec{};
  const auto said = [&](const std::string& yaml) {
    Diagnostics out;
    check_tunables(read_tunables(yaml).value, solution_in(Language::cpp), definition, out);
    return text_of(out);
  };
  EXPECT_EQ(said("params: {A: [1]}\n"),
            "1:10: gemm has A already: the parameter needs another name\n");
  EXPECT_EQ(said("params: {B: [1]}\nwhere: [\"K % B == 0\"]\n"),
            "2:9: \"K\" is no axis and no scalar input, and no parameter\n");
  EXPECT_EQ(said("params: {B: [row]}\nwhere: [\"M % B == 0\"]\n"),
            "2:9: B can be row: conditions are over whole numbers\n");
  EXPECT_EQ(said("params: {B: [1]}\nheuristic: [{if: \"B > 0\", cfg: {B: 1}}]\n"),
            "2:18: B is a parameter: which values it has is said here, by the call\n");
  EXPECT_EQ(said("params: {B: [1]}\nwhere: [\"M % B == 0\"]\n"), "");
  EXPECT_EQ(said("supports: {where: [\"MM > 2\"]}\n"),
            "1:20: \"MM\" is no axis and no scalar input (did you mean \"M\"?)\n");
  EXPECT_EQ(said("params: {B: [1]}\nsupports: {where: [\"M > 2\", \"B > 2\"]}\n"),
            "2:29: B is a parameter: which calls there are is said here, by the call\n");
}

TEST(Tunables, ARowOfTheHeuristicThatIsForbiddenWhateverTheAxesIsAMistake) {
  Definition definition;
  definition.name = "gemm";
  definition.axes["M"] = AxisVar{};
  definition.axes["N"] = AxisConst{"const", 4};
  const auto said = [&](const std::string& where) {
    Diagnostics out;
    check_tunables(read_tunables("params: {B: [1, 2]}\nwhere: [" + where +
                                 "]\nheuristic:\n  - {if: M > 3, cfg: {B: 2}}\n  - cfg: {B: 1}\n")
                       .value,
                   solution_in(Language::cpp), definition, out);
    return text_of(out);
  };
  EXPECT_EQ(said("B < 2"),
            "4:5: where forbids B=2: B < 2 does not hold: B = 2 (the condition: kbench.yaml:2)\n");
  EXPECT_EQ(said("N < 4 or B > 1"),
            "5:5: where forbids B=1: N < 4 or B > 1 does not hold: N = 4, B = 1 (the condition: "
            "kbench.yaml:2)\n");
  EXPECT_EQ(said("B < 2 or M > 3"), "");
  EXPECT_EQ(said("4 // (B - 1) > 0"),
            "5:5: where forbids B=1: 4 // (B - 1) > 0 does not hold: B = 1 (the condition: "
            "kbench.yaml:2)\n");
}

TEST(Tunables, BucketsAreOfAxesAndWhatIsSpecialisedIsAScalar) {
  Definition definition;
  definition.name = "norm";
  definition.axes["batch_size"] = AxisVar{};
  definition.axes["hidden"] = AxisConst{};
  definition.inputs["x"] = TensorSpec{{{"batch_size", "hidden"}}, {}, {}};
  definition.inputs["eps"] = TensorSpec{};
  const auto said = [&](const std::string& yaml) {
    Diagnostics out;
    check_tunables(read_tunables("params: {B: [1]}\n" + yaml).value, solution_in(Language::cpp),
                   definition, out);
    return text_of(out);
  };
  EXPECT_EQ(said("bucket: {batch_size: pow2}\nspecialise: [eps]\n"), "");
  EXPECT_EQ(said("bucket: {batch_sze: pow2}\n"),
            "2:10: bucket: \"batch_sze\" is no axis of norm (did you mean \"batch_size\"?)\n");
  EXPECT_EQ(said("bucket: {M: pow2}\n"),
            "2:10: bucket: \"M\" is no axis of norm (norm has the axes batch_size, hidden)\n");
  EXPECT_EQ(said("bucket: {hidden: pow2}\n"),
            "2:10: bucket: hidden has one length alone (lengths that workloads set can share a "
            "configuration)\n");
  EXPECT_EQ(said("specialise: [epss]\n"),
            "2:14: specialise: \"epss\" is no input of norm (did you mean \"eps\"?)\n");
  EXPECT_EQ(said("specialise: [eps, x]\n"),
            "2:19: specialise: x is a tensor, whose values are not part of a key (norm has the "
            "scalar inputs eps)\n");
  EXPECT_EQ(said("where: [\"batch_siz % B == 0\"]\n"),
            "2:9: \"batch_siz\" is no axis and no scalar input, and no parameter (did you mean "
            "\"batch_size\"?)\n");
}

}  // namespace
}  // namespace kbench
