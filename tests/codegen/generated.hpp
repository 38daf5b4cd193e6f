// Kernel yaml → generated files, for the tests of codegen.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/codegen/codegen.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {

// An operator's entry with a default kernel, or kernels for Float and Long in order of two
// dimensions.
inline std::string custom(const std::string& schema, const std::string& kernels) {
  return "- func: " + schema +
         "\n  type_alias: {F: [Float], L: [Long]}\n  dim_order_alias: {D: [0, 1]}\n  kernels:\n" +
         kernels;
}
inline std::string kernel(const std::string& meta, const std::string& name) {
  return "    - {arg_meta: " + meta + ", kernel_name: " + name + "}\n";
}

struct Generated {
  std::vector<GeneratedFile> files;
  std::string messages;  // one a line

  // Returns "" for a file that is not there.
  std::string text(const std::string& name) const {
    for (const GeneratedFile& file : files) {
      if (file.name == name) return file.text;
    }
    return "";
  }
  std::string names() const {
    std::string all;
    for (const GeneratedFile& file : files) all += file.name + "\n";
    return all;
  }
  // Returns the source that registers, whichever it is.
  std::string registration() const {
    return text("RegisterCodegenUnboxedKernelsEverything.cpp") +
           text("RegisterKernelsEverything.cpp");
  }
};

// Generates everything where `selection` is nullptr.
inline Generated generated(const std::string& yaml, const CodegenOptions& options = {},
                           const OperatorSelection* selection = nullptr) {
  Diagnostics out;
  const std::vector<KernelLibrary> libraries = {
      read_kernel_library({"k.yaml", yaml}, nullptr, out)};
  EXPECT_EQ(out.errors(), 0U) << yaml;
  OperatorSelection all;
  all.include_all_operators = true;
  const OperatorSelection& chosen = selection == nullptr ? all : *selection;
  Generated made;
  made.files =
      generate({selected_kernels(libraries, chosen, out), chosen, {}, all_kernels(libraries)},
               options, out)
          .files;
  for (const Diagnostic& one : out.items())
    made.messages += std::to_string(one.where.line) + ": " + one.message + "\n";
  return made;
}

inline OperatorSelection selection_of(
    const std::vector<std::pair<std::string, std::string>>& keys) {
  OperatorSelection selection;
  for (const auto& [name, key] : keys) select(selection, name, key, "");
  return selection;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

}  // namespace kbench
