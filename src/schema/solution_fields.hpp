// The tables of fields of what solution.hpp declares.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/solution.hpp"

namespace kbench {

constexpr auto fields(const SourceFile*) {
  return std::tuple{Field{"path", &SourceFile::path, Need::required, Rule::text,
                          "Path of the source, relative, without \"..\"."},
                    Field{"content", &SourceFile::content, Need::required, Rule::text,
                          "The source text; without it, the file `path` beside the JSON."}};
}

constexpr auto fields(const Launch*) {
  return std::tuple{
      Field{"grid", &Launch::grid, Need::required, Rule::items,
            "Blocks in x, y and z: 1 to 3 numbers or Python expressions over the axes, such as "
            "\"(M + 127) // 128\"."},
      Field{"block", &Launch::block, Need::required, Rule::items,
            "Threads of a block in x, y and z, likewise."},
      Field{"shared_bytes", &Launch::shared_bytes, Need::optional, Rule::any,
            "Dynamic shared memory of a block, likewise."},
      Field{"arguments", &Launch::arguments, Need::optional, Rule::non_empty,
            "Names of inputs, outputs and axes in the order of the kernel's parameters; without "
            "it the inputs, then the outputs."}};
}

constexpr auto fields(const BuildSpec*) {
  return std::tuple{
      Field{"language", &BuildSpec::language, Need::required, Rule::any,
            "Language of the sources."},
      Field{"target_hardware", &BuildSpec::target_hardware, Need::required, Rule::items,
            "Hardware the solution is meant for, free text such as \"cpu\" or \"NVIDIA H100\"."},
      Field{"entry_point", &BuildSpec::entry_point, Need::required, Rule::non_empty,
            "\"<source path>::<function name>\"."},
      Field{"dependencies", &BuildSpec::dependencies, Need::optional, Rule::non_empty,
            "Packages the solution needs; recorded, not installed."},
      Field{"destination_passing_style", &BuildSpec::destination_passing_style, Need::optional,
            Rule::any, "true: outputs are passed after the inputs; false: they are returned."},
      Field{"binding", &BuildSpec::binding, Need::optional, Rule::any,
            "How a compiled solution is called; null is tvm-ffi."},
      Field{"compile_flags", &BuildSpec::compile_flags, Need::extension, Rule::text,
            "Flags for the compiler, after kbench's own."},
      Field{"link_flags", &BuildSpec::link_flags, Need::extension, Rule::text,
            "Flags for the linker, after the objects."},
      Field{"launch", &BuildSpec::launch, Need::extension, Rule::any,
            "How the kernel is launched that the entry point names: of a CUDA source that has no "
            "code for the host."},
      Field{"kbench", &BuildSpec::kbench, Need::extension, Rule::any,
            "What kbench knows of it beside all this, such as its configurations: instead of a "
            "sidecar."},
      Field{"configuration", &BuildSpec::configuration, Need::extension, Rule::any,
            "Values of its parameters that were chosen, where kbench has chosen them."}};
}

constexpr auto fields(const Solution*) {
  return std::tuple{
      Field{"name", &Solution::name, Need::required, Rule::non_empty, "Unique in the trace set."},
      Field{"definition", &Solution::definition, Need::required, Rule::non_empty,
            "Name of the Definition it computes."},
      Field{"author", &Solution::author, Need::required, Rule::non_empty, "Who wrote it."},
      Field{"spec", &Solution::spec, Need::required, Rule::any, "How to build and call it."},
      Field{"sources", &Solution::sources, Need::required, Rule::items, "The source files."},
      Field{"description", &Solution::description, Need::optional, Rule::any,
            "What is particular about it."}};
}

}  // namespace kbench
