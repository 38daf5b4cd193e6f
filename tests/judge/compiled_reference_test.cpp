#include "judge/compiled_reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "schema/read.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TraceSet set_of(std::initializer_list<const char*> definitions) {
  TraceSet set;
  for (const char* name : definitions) {
    Definition definition;
    definition.name = name;
    definition.reference = "def run(x):\n    return x\n";
    set.definitions.push_back({definition, std::string(name) + ".json", 0});
  }
  return set;
}

TEST(CompiledReference, IsThereForEachDefinition) {
  TraceSet set = set_of({"a", "b"});
  for (const std::string_view name : names_of_references) add_references(name, set);
  ASSERT_EQ(set.solutions.size(), 4U);
  Trace record;
  record.definition = "b";
  for (const char* name : {"reference", "torch-compile"}) {
    record.solution = name;
    ASSERT_NE(set.solution_of(record), nullptr);
    EXPECT_EQ(set.solution_of(record)->definition, "b");
    EXPECT_EQ(set.solution_of(record)->is_compiled_reference, record.solution == "torch-compile");
  }
  record.definition = "c";
  EXPECT_EQ(set.solution_of(record), nullptr);
}

TEST(CompiledReference, IsAnotherProgramWithAnotherTorch) {
  const Definition definition = set_of({"a"}).definitions.front().record;
  std::vector<std::string> hashes;
  for (const char* minor : {"14", "15"}) {
    const TempFolder torch;
    torch.write("lib/libtorch_cpu.so", "");
    torch.write("include/torch/headeronly/version.h",
                std::string("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR ") + minor +
                    "\n#define TORCH_VERSION_PATCH 0\n");
    ::setenv("KBENCH_TORCH", torch.path().c_str(), 1);
    const Solution solution = solution_of_reference("torch-compile", definition);
    ::unsetenv("KBENCH_TORCH");
    EXPECT_EQ(solution.spec.dependencies,
              std::vector<std::string>{std::string("torch==2.") + minor + ".0"});
    hashes.push_back(solution_hash(solution));
  }
  EXPECT_NE(hashes[0], hashes[1]);
}

constexpr const char* claims =
    R"("definition": "a", "is_compiled_reference": true,
       "spec": {"language": "python", "target_hardware": ["cpu"], "entry_point": "m.py::run",
                "is_compiled_reference": true, "compiler": "g++"},
       "sources": [{"path": "m.py", "content": "def run(x): ..."}]})";

TEST(CompiledReference, LeavesItsNameToNobody) {
  for (const auto& [name, author] : {std::pair("torch-compile", "x"),
                                     {"x", "torch-compile"},
                                     {"reference", "x"},
                                     {"x", "reference"}}) {
    const std::string text =
        std::string(R"({"name": ")") + name + R"(", "author": ")" + author + R"(", )" + claims;
    Diagnostics problems;
    EXPECT_FALSE(read_text<Solution>({"s.json", text}, {}, problems));
    ASSERT_EQ(problems.errors(), 1U) << text;
    EXPECT_NE(problems.items().front().message.find("the name \""), std::string::npos);
  }
}

TEST(CompiledReference, IsNothingThatAFileSays) {
  Diagnostics problems;
  const auto read = read_text<Solution>(
      {"s.json", std::string(R"({"name": "x", "author": "x", )") + claims}, {}, problems);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->is_compiled_reference);
}

}  // namespace
}  // namespace kbench
