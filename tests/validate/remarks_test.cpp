#include "validate/remarks.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

Definition definition(std::string reference) {
  Definition d;
  d.name = "scale_n4";
  d.op_type = "scale";
  d.inputs["A"];
  d.inputs["B"];
  d.reference = std::move(reference);
  return d;
}

std::vector<std::string> messages(const Definition& d) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks_on(d)) out.push_back(remark.pointer + " " + remark.message);
  return out;
}

using Messages = std::vector<std::string>;

TEST(Remarks, ParametersInOrderAreFine) {
  for (const char* header :
       {"run(A, B)", "run(x, y)", "run(A, y, extra=1)", "run(*args)", "run(A, *rest)"}) {
    EXPECT_EQ(messages(definition(std::string("def ") + header + ":\n  pass\n")), Messages{})
        << header;
  }
}

TEST(Remarks, SwappedParameters) {
  EXPECT_EQ(messages(definition("import torch\ndef run(B, A):\n  pass\n")),
            Messages{"/reference run() takes \"B\" as argument 1, where \"inputs\" has \"A\""});
  EXPECT_EQ(remarks_on(definition("import torch\ndef run(B, A):\n  pass\n")).at(0).index, 13U);
  EXPECT_EQ(messages(definition("def run(x, A):\n  pass\n")).size(), 1U);
}

TEST(Remarks, TheLastRunCounts) {
  EXPECT_EQ(messages(definition("def run(B, A):\n  pass\ndef run(A, B):\n  pass\n")), Messages{});
}

TEST(Remarks, NumberOfParameters) {
  EXPECT_EQ(messages(definition("def run(A):\n  pass\n")),
            Messages{"/reference run() takes 1 argument, \"inputs\" has 2"});
  EXPECT_EQ(messages(definition("def run(A, B, C):\n  pass\n")).size(), 1U);
}

TEST(Remarks, Tags) {
  Definition d = definition("def run(A, B):\n  pass\n");
  d.tags = {"fused",     "stage: decode", "modl:llama",  "status:",      "tp:8",
            "gpu:sm100", "status:foo",    "stage:decod", "quantization", "status:verified"};
  EXPECT_EQ(messages(d), (Messages{"/tags/1 tag \"stage: decode\" has a blank",
                                   "/tags/2 tag \"modl:llama\" is of no known namespace",
                                   "/tags/3 tag \"status:\" has no value",
                                   "/tags/5 tag \"gpu:sm100\" is of no known namespace",
                                   "/tags/6 tag \"status:foo\" has no known value",
                                   "/tags/7 tag \"stage:decod\" has no known value",
                                   "/tags/8 tag \"quantization\" has no value"}));
  EXPECT_EQ(remarks_on(d).at(1).hint, "did you mean \"model\"?");
}

TEST(Remarks, NamesHoldTheirOpType) {
  Definition d = definition("def run(A, B):\n  pass\n");
  for (const char* name : {"scale", "scale_h4096", "fused_add_scale_h4096"}) {
    d.name = name;
    EXPECT_EQ(messages(d), Messages{}) << name;
  }
  d.name = "rescale_h4096";
  EXPECT_EQ(messages(d), Messages{"/name the name does not contain the op_type \"scale\""});
}

TEST(Remarks, NamesHoldAConstant) {
  Definition d = definition("def run(A, B):\n  pass\n");
  d.axes["h"] = AxisConst{.value = 4096};
  d.axes["one"] = AxisConst{.value = 1};
  d.name = "scale_4096";
  EXPECT_EQ(messages(d), Messages{});
  for (const char* name : {"scale_h", "scale_h40960", "scale_h1"}) {
    d.name = name;
    EXPECT_EQ(messages(d).size(), name == std::string("scale_h1") ? 0U : 1U) << name;
  }
  d.name = "scale_h";
  EXPECT_EQ(messages(d), Messages{"/name the name has the length of no const axis"});
  d.tags = {"op:my::scale.out"};
  EXPECT_EQ(messages(d), Messages{});
}

TEST(Remarks, HighLevelCalls) {
  for (const char* line : {"import torch.nn.functional as F", "from torch import nn",
                           "from torch.nn import functional"}) {
    EXPECT_EQ(messages(definition(std::string(line) + "\ndef run(A, B):\n  pass\n")),
              Messages{"/reference the reference uses torch.nn, which hides the computation"})
        << line;
  }
  EXPECT_EQ(messages(definition("# not torch.nn\ndef run(A, B):\n  inner = 'torch.nn'\n")),
            Messages{});
}

TEST(Remarks, ConstraintsThatCannotBeChecked) {
  Definition d = definition("def run(A, B):\n  pass\n");
  d.axes["M"] = AxisVar{};
  d.constraints = {"M % 2 == 0", "M == hidden"};
  EXPECT_EQ(messages(d),
            Messages{"/constraints/1 constraint \"M == hidden\": \"hidden\" is no axis "
                     "and no input"});
  EXPECT_EQ(remarks_on(d).at(0).index, 5U);
}

TEST(Remarks, EntryPointsWithoutAFunction) {
  Solution solution;
  solution.spec.entry_point = "k.cpp::run";
  EXPECT_TRUE(remarks_on(solution).empty());
  solution.spec.entry_point = "k.cpp::";
  ASSERT_EQ(remarks_on(solution).size(), 1U);
  EXPECT_EQ(remarks_on(solution)[0].message, "entry_point \"k.cpp::\" names no function");
  solution.spec.entry_point = "k.cpp::run now";
  EXPECT_EQ(remarks_on(solution)[0].message,
            "entry_point \"k.cpp::run now\": \"run now\" is no name of a function");
  solution.spec.language = Language::python;
  ASSERT_EQ(remarks_on(solution).size(), 1U);
  EXPECT_EQ(remarks_on(solution)[0].message,
            "entry_point \"k.cpp::run now\": \"k.cpp\" is no Python file");
  solution.spec.entry_point = "k.py::Kernel.run";
  EXPECT_TRUE(remarks_on(solution).empty());
}

}  // namespace
}  // namespace kbench
