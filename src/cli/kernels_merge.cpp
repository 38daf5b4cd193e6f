// kbench kernels merge: two kernel yaml files in one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/kernel_set.hpp"
#include "cli/kernels.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "registry/merge.hpp"

namespace kbench {
namespace {

struct Options {
  std::string first;
  std::string fallback;
  std::string by = "op";
  std::string output;
};

std::optional<Source> read_source(const std::string& path, Diagnostics& out) {
  if (is_there(path) && !is_folder(path)) return Source{path, read_file(path)};
  out.error({path, 0, 0, "", ""}, is_folder(path) ? "is a folder" : "no such file",
            "merge takes two kernel yaml files");
  return std::nullopt;
}

// A list of kernels has no place for what `dispatch` says of CUDA.
void refuse_dispatch(const KernelLibrary& library, Diagnostics& out) {
  for (const OperatorEntry& entry : library.operators) {
    const bool has_other =
        std::any_of(entry.kernels.begin(), entry.kernels.end(),
                    [](const Kernel& kernel) { return kernel.platform == "cuda"; });
    if (has_other)
      out.error(entry.where, "a kernel for CUDA under dispatch cannot be merged by kernel",
                "merge by op, or name both libraries to the other commands");
  }
}

// What the sidecars say of kernels, that of the first before that of the fallback.
std::map<std::string, KernelSettings> settings_of_both(const Options& options,
                                                       const KernelLibrary& first,
                                                       const KernelLibrary& fallback,
                                                       Diagnostics& out) {
  std::map<std::string, KernelSettings> all;
  for (const auto& [path, library] :
       {std::pair{&options.first, &first}, std::pair{&options.fallback, &fallback}}) {
    const Sidecar sidecar = read_sidecar_of(*path, out);
    for (const OperatorEntry& entry : library->operators) {
      for (const Kernel& kernel : entry.kernels)
        all.try_emplace(kernel.name, settings_of(sidecar, kernel.name));
    }
  }
  return all;
}

// Beside the merged file, where that is one.
void write_sidecar_of_both(const Options& options, const std::string& text, Diagnostics& out) {
  if (text.empty()) return;
  if (options.output.empty() || options.output == "-") {
    out.warning({options.first, 0, 0, "", ""}, "what sidecars say of kernels is not written",
                "-o FILE writes it beside the merged yaml");
    return;
  }
  const std::filesystem::path file = options.output;
  write_output((file.parent_path() / (file.stem().string() + ".kbench.yaml")).string(), text, out);
}

int merge(const Options& options) {
  Diagnostics problems;
  const auto first = read_source(options.first, problems);
  const auto fallback = read_source(options.fallback, problems);
  if (!first || !fallback) return exit_after(problems, exit_input);
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  const KernelLibrary a = read_kernel_library(*first, catalogue, problems);
  const KernelLibrary b = read_kernel_library(*fallback, catalogue, problems);
  check_schemas({a, b}, problems);
  const MergeBy by = options.by == "op" ? MergeBy::op : MergeBy::kernel;
  if (by == MergeBy::kernel) {
    refuse_dispatch(a, problems);
    refuse_dispatch(b, problems);
  }
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  write_sidecar_of_both(options, write_sidecar(settings_of_both(options, a, b, problems)),
                        problems);
  write_output(options.output, merge_kernel_yaml({*first, a}, {*fallback, b}, by), problems);
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_merge(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("library", options->first, "A kernel yaml, whose kernels come first")
      ->required()
      ->option_text("YAML");
  app.add_option("--fallback", options->fallback, "A kernel yaml that has what the first lacks")
      ->required()
      ->option_text("YAML");
  app.add_option("--by", options->by,
                 "op: an operator of the first loses all kernels of the fallback; kernel: it keeps "
                 "those for other tensors")
      ->check(CLI::IsMember({"op", "kernel"}))
      ->option_text("WHAT");
  app.add_option("-o,--output", options->output, "Where the merged yaml goes; default: stdout")
      ->option_text("FILE");
  return [options] { return merge(*options); };
}

}  // namespace kbench
