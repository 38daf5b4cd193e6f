// A kernel yaml and its sidecar: kernels that the sidecar may name.
#include "kernels/registry/load_library.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::string func_entry(const std::string& op, const std::string& kernel) {
  return "- func: " + op + "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n  kernels:\n" +
         "    - {kernel_name: " + kernel + "}\n";
}

class LoadLibrary : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder.write(name, text); }

  // Returns what loading says of "a.yaml".
  std::string load(const std::string& text) {
    Diagnostics out;
    const ops::Catalogue catalogue({"native_functions.yaml", "[]\n"});
    write("a.yaml", text);
    library = load_kernel_library({(folder.path() / "a.yaml").string(), text}, &catalogue, out);
    std::string said;
    for (const Diagnostic& one : out.items()) {
      said += fs::path(one.where.file).filename().string() + ":" + std::to_string(one.where.line) +
              ": " + one.message + (one.hint.empty() ? "" : " (" + one.hint + ")") + "\n";
    }
    return said;
  }

  const TempFolder folder;
  KernelLibrary library;
};

TEST_F(LoadLibrary, ASidecarOfItsOwnNamesItsKernels) {
  write("b.yaml", func_entry("m::g.out", "m::g"));
  write("a.kbench.yaml",
        "kernels:\n  - {kernel_name: m::f, priority: 3}\n"
        "  - {kernel_name: m::g, priority: 1}\n");
  const std::string said = load(func_entry("m::f.out", "m::f"));
  EXPECT_EQ(said.substr(0, said.find(": /")), "a.kbench.yaml:3");
  EXPECT_NE(said.find("a.yaml has no kernel m::g (did you mean \"m::f\"?)"), said.npos) << said;
  EXPECT_EQ(library.operators.at(0).kernels.at(0).priority, 3);
}

TEST_F(LoadLibrary, ASidecarOfTheFolderNamesThoseOfAllFiles) {
  write("b.yaml", func_entry("m::g.out", "m::g"));
  write("kbench.yaml",
        "kernels:\n  - {kernel_name: m::g, priority: 1}\n"
        "  - {kernel_name: m::h, priority: 1}\n");
  EXPECT_EQ(load(func_entry("m::f.out", "m::f")),
            "kbench.yaml:3: no kernel yaml of this folder has a kernel m::h (did you mean "
            "\"m::f\"?)\n");
}

TEST_F(LoadLibrary, AnEntryThatIsWrongHidesNoKernelFromTheSidecar) {
  write("a.kbench.yaml", "kernels:\n  - {kernel_name: m::f, priority: 3}\n");
  const std::string said = load(func_entry("m::f_out.out", "m::f"));
  EXPECT_EQ(said.find("a.kbench.yaml"), said.npos) << said;
  EXPECT_NE(said.find("a.yaml:1"), said.npos) << said;
}

TEST(CheckSchemas, AnOperatorHasOneWhateverLibraryHasIt) {
  const auto read = [](const std::string& path, const std::string& arguments) {
    Diagnostics out;
    return read_kernel_library({path, "- func: m::f.out(" + arguments +
                                          ", *, Tensor(a!) out) -> Tensor(a!)\n  kernels:\n" +
                                          "    - {kernel_name: m::f}\n"},
                               nullptr, out);
  };
  Diagnostics out;
  check_schemas({read("a.yaml", "Tensor a, Tensor b"), read("b.yaml", "Tensor a, Tensor b")}, out);
  EXPECT_TRUE(out.empty());
  check_schemas({read("a.yaml", "Tensor a, Tensor b"), read("b.yaml", "Tensor b, Tensor a")}, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].where.file, "b.yaml");
  EXPECT_EQ(out.items()[0].message, "m::f.out has another schema in another library");
  EXPECT_EQ(out.items()[0].hint,
            "a.yaml:1: m::f.out(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)");
}

TEST(YamlKind, IsToldByWhatItHolds) {
  const auto kind = [](const std::string& text) { return yaml_kind({"x.yaml", text}); };
  for (const char* const text :
       {"# a comment\n\n---\n- op: add.out\n", "\xef\xbb\xbf- op: add.out\n",
        "%YAML 1.2\n---\n- op: add.out\n", "[{op: add.out}]", "-\n  op: add.out\n", "[",
        "- op: [\n", "op: add.out\n", "func: f(Tensor x) -> Tensor\n"})
    EXPECT_EQ(kind(text), "kernels") << text;
  EXPECT_EQ(kind("operators: {}\n"), "selection");
  EXPECT_EQ(kind("- op: add.out\n  type_constraint: []\n"), "kernels");
  for (const char* const text : {"", "# nothing\n", "a: b\n", "a: [\n", "word\n"})
    EXPECT_EQ(kind(text), "") << text;
}

}  // namespace
}  // namespace kbench
