#include <gtest/gtest.h>

#include "support/foreign_text.hpp"

namespace kbench {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

Imported problem(const Files& files) {
  Files below;
  for (const auto& [name, text] : files) below.emplace_back("p/" + name, text);
  return read_texts("sol-execbench", below);
}

std::string definition_with(const std::string& axes, const std::string& more = "",
                            const std::string& dtype = "float32") {
  return R"({"name": "op_n8", "axes": {"M": {"type": "var"}, )" + axes +
         R"("N": {"type": "const", "value": 8}}, "inputs": {"a": {"shape": ["M", "N"], "dtype": ")" +
         dtype + R"("}}, )" + more +
         R"("outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
 "reference": "def run(a):\n    return a\n"})";
}

const std::string solution_head = R"({"name": "s", "definition": "op_n8", "author": "me",
 "sources": [{"path": "k.cu", "content": "x"}], "spec": {"entry_point": "k.cu::run",
 "target_hardware": ["B200"], )";

TEST(SolExecbench, TheOpTypeIsSolWhereNoneIsGiven) {
  const Imported imported = problem({{"definition.json", definition_with("")}});
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_EQ(imported.definitions[0].record.op_type, "sol");
  EXPECT_EQ(notes_of(imported),
            std::vector<std::string>{"info: no op_type is given: it is \"sol\""});
}

TEST(SolExecbench, TheModelIsATag) {
  const Imported imported =
      problem({{"definition.json", definition_with("", R"("op_type": "gemm", "hf_id": "a/b", )")}});
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_EQ(imported.definitions[0].record.tags, std::vector<std::string>{"model:a/b"});
}

TEST(SolExecbench, AnExpressionOverConstantsIsAConstAxis) {
  const Imported imported = problem(
      {{"definition.json",
        definition_with(R"("h": {"type": "expr", "expression": "q // 2", "description": "half"},
 "q": {"type": "expr", "expression": "N * 3"}, )")}});
  ASSERT_EQ(imported.definitions.size(), 1U);
  const Definition& definition = imported.definitions[0].record;
  EXPECT_EQ(const_value(*definition.axes.find("h")), 12);
  EXPECT_EQ(const_value(*definition.axes.find("q")), 24);
  EXPECT_TRUE(definition.constraints.empty());
}

TEST(SolExecbench, OtherExpressionsAreVarAxesThatWorkloadsGiveTheValueOf) {
  const Imported imported = problem(
      {{"definition.json", definition_with(R"("t": {"type": "expr", "expression": "M * N + half"},
 "half": {"type": "expr", "expression": "M / 2"}, )")},
       {"workload.jsonl",
        "{\"axes\": {\"M\": 6}, \"inputs\": {\"a\": {\"type\": \"random\"}}, \"uuid\": \"u1\"}\n"
        "{\"axes\": {\"M\": 5}, \"inputs\": {\"a\": {\"type\": \"random\"}}, \"uuid\": "
        "\"u2\"}\n"}});
  ASSERT_EQ(imported.definitions.size(), 1U);
  const std::vector<std::string> constraints{"t == M * N + half", "half == M / 2"};
  EXPECT_EQ(imported.definitions[0].record.constraints, constraints);
  EXPECT_TRUE(std::holds_alternative<AxisVar>(*imported.definitions[0].record.axes.find("t")));
  ASSERT_EQ(imported.traces.size(), 1U);
  const Trace& trace = imported.traces[0].record;
  EXPECT_EQ(trace.definition, "op_n8");
  EXPECT_EQ(*trace.workload.axes.find("half"), 3);
  EXPECT_EQ(*trace.workload.axes.find("t"), 51);
  EXPECT_EQ(imported.traces[0].line, 1);
  EXPECT_EQ(imported.left_out, 1U);  // 5 / 2 is no integer
}

TEST(SolExecbench, ExpressionsInACircleHaveNoValue) {
  const Imported imported =
      problem({{"definition.json", definition_with(R"("s": {"type": "expr", "expression": "t + 1"},
 "t": {"type": "expr", "expression": "s + 1"}, )")},
               {"workload.jsonl", R"({"axes": {"M": 6}, "inputs": {}, "uuid": "u"})"}});
  EXPECT_TRUE(imported.traces.empty());
  EXPECT_TRUE(has_note(imported, "error: axis \"s\" = t + 1 has no value"));
}

TEST(SolExecbench, AnExpressionThatIsWrongWhateverTheWorkloadIsSaid) {
  for (const std::string expression : {"N //", "N // 0", "N / 3"}) {
    const Imported imported =
        problem({{"definition.json", definition_with(R"("h": {"type": "expr", "expression": ")" +
                                                     expression + R"("}, )")}});
    EXPECT_TRUE(imported.definitions.empty());
    EXPECT_TRUE(has_note(imported, "error: axis \"h\" = " + expression + " has no value"));
  }
}

TEST(SolExecbench, Dtypes) {
  const Imported wide = problem({{"definition.json", definition_with("", "", "float64")}});
  EXPECT_TRUE(has_note(wide, "error: dtype float64 of \"a\" has no counterpart"));
  const Imported packed =
      problem({{"definition.json", definition_with("", "", "float4_e2m1fn_x2")}});
  ASSERT_EQ(packed.definitions.size(), 1U);
  EXPECT_EQ(packed.definitions[0].record.inputs.find("a")->dtype, DType::float4_e2m1);
}

TEST(SolExecbench, InputsMadeByCodeAreNotReplaced) {
  const Imported imported =
      problem({{"definition.json", definition_with("", R"("custom_inputs_entrypoint": "make", )")},
               {"workload.jsonl",
                R"({"axes": {"M": 6}, "inputs": {"a": {"type": "custom"}}, "uuid": "u"})"}});
  EXPECT_EQ(imported.definitions.size(), 1U);
  EXPECT_TRUE(imported.traces.empty());
  EXPECT_EQ(imported.left_out, 1U);
  EXPECT_TRUE(has_note(imported, "warning: \"custom_inputs_entrypoint\" is not carried over"));
  EXPECT_TRUE(has_note(imported, "error: the inputs are made by the definition's code"));
}

TEST(SolExecbench, ATolerancesPlaceIsAConfigurationFile) {
  const Imported imported = problem(
      {{"definition.json", definition_with("")},
       {"workload.jsonl", R"({"axes": {"M": 6}, "inputs": {"a": {"type": "random"}}, "uuid": "u",
 "tolerance": {"max_atol": 0.1, "required_matched_ratio": 0.9}})"},
       {"config.json", R"({"iterations": 1})"}});
  EXPECT_EQ(imported.left_out, 1U);  // the line is no line
  const Imported good = problem(
      {{"definition.json", definition_with("")},
       {"workload.jsonl",
        R"({"axes": {"M": 6}, "inputs": {"a": {"type": "random"}}, "uuid": "u", "tolerance": {"max_atol": 0.1, "required_matched_ratio": 0.9}})"},
       {"config.json", R"({"iterations": 1})"}});
  EXPECT_EQ(good.traces.size(), 1U);
  const Diagnostics& notes = good.files[1].notes;
  ASSERT_EQ(notes.items().size(), 1U);
  EXPECT_TRUE(notes.items()[0].hint.ends_with(
      "definition_config: {op_n8: {atol: 0.1, required_matched_ratio: 0.9}}"));
  EXPECT_TRUE(has_note(good, "the settings {\"iterations\":1} are not carried over"));
}

TEST(SolExecbench, AWorkloadIsOfTheDefinitionBesideIt) {
  const Imported imported = read_texts(
      "sol-execbench", {{"a/definition.json", definition_with("")},
                        {"b/workload.jsonl", R"({"axes": {}, "inputs": {}, "uuid": "u"})"}});
  EXPECT_TRUE(imported.traces.empty());
  EXPECT_TRUE(has_note(imported, "error: there is no definition.json beside it"));
}

TEST(SolExecbench, CudaSolutionsGetTheirFlags) {
  const Imported imported =
      problem({{"solution.json", solution_head + R"("languages": ["cuda_cpp", "cublas"],
 "compile_options": {"cflags": ["-g"], "cuda_cflags": ["-O1"]}}})"}});
  ASSERT_EQ(imported.solutions.size(), 1U);
  const BuildSpec& spec = imported.solutions[0].record.spec;
  EXPECT_EQ(spec.language, Language::cuda);
  EXPECT_EQ(spec.binding, Binding::torch);
  EXPECT_EQ(spec.compile_flags, std::vector<std::string>{"-O1"});
  EXPECT_EQ(spec.link_flags, std::vector<std::string>{"-lcuda"});
  EXPECT_EQ(spec.dependencies, std::vector<std::string>{"cublas"});
  EXPECT_TRUE(has_note(imported, "warning: \"cflags\" is not carried over"));
}

TEST(SolExecbench, OfPythonsLanguagesTheMoreSpecialOneCounts) {
  const Imported imported =
      problem({{"solution.json", solution_head + R"("languages": ["pytorch", "triton"]}})"}});
  ASSERT_EQ(imported.solutions.size(), 1U);
  EXPECT_EQ(imported.solutions[0].record.spec.language, Language::triton);
  EXPECT_FALSE(imported.solutions[0].record.spec.compile_flags.has_value());
}

TEST(SolExecbench, LanguagesThatKbenchLacksAreRefusedByName) {
  for (const std::string language : {"cute_dsl", "cutile", "cudnn_frontend", "fortran"}) {
    const Imported imported =
        problem({{"solution.json", solution_head + R"("languages": [")" + language + R"("]}})"}});
    EXPECT_TRUE(imported.solutions.empty());
    EXPECT_TRUE(has_note(imported, "error: language \"" + language + "\" has no counterpart"));
  }
}

}  // namespace
}  // namespace kbench
