// kbench kernels merge: two kernel yaml files in one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/merge.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct KernelsMergeOptions {
  std::string first;
  std::string fallback;
  std::string by = "op";
  std::string output;
  bool force = false;
};

std::optional<Source> read_source(const std::string& path, Diagnostics& out) {
  if (is_there(path) && !is_folder(path)) return Source{path, read_file(path)};
  out.error({path}, is_folder(path) ? "is a folder" : "no such file",
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

// A library and the sidecar beside it.
struct Side {
  const KernelLibrary& library;
  const Sidecar& sidecar;
};

// Settings of kernels by the sidecars, that of the first before that of the fallback.
std::map<std::string, KernelSettings> settings_of_both(const Side& first, const Side& fallback) {
  std::map<std::string, KernelSettings> all;
  for (const Side* side : {&first, &fallback}) {
    for (const OperatorEntry& entry : side->library.operators) {
      for (const Kernel& kernel : entry.kernels)
        all.try_emplace(kernel.name, settings_of(side->sidecar, kernel.name));
    }
  }
  return all;
}

constexpr std::string_view banner = "# Written by kbench kernels merge; changes here are lost.";

// Tells whether a file that neither library has beside it would have its say about the merged one.
bool is_foreign(const std::optional<fs::path>& sidecar, const KernelsMergeOptions& options) {
  return sidecar && sidecar != find_sidecar(options.first) &&
         sidecar != find_sidecar(options.fallback);
}

// The sidecar that is the merged file's alone. One that merge did not write gives nothing.
std::optional<fs::path> own_sidecar(const fs::path& file, Diagnostics& out) {
  const fs::path stem = file.parent_path() / (file.stem().string() + ".kbench");
  const fs::path own = stem.string() + ".yaml";
  for (const fs::path& path : {fs::path(stem.string() + ".json"), own}) {
    if (!is_there(path.string()) || read_if_readable(path).starts_with(banner)) continue;
    out.error({path.string()}, "is there already: the merged kernels would be what it says",
              "remove it, or write the merged yaml to another place");
    return std::nullopt;
  }
  return own;
}

// Writes it beside the merged file, where that is one. An empty one takes the place of a foreign
// sidecar, where the libraries have none that says something.
int write_sidecar_of_both(const KernelsMergeOptions& options, const std::string& text,
                          Diagnostics& out) {
  if (options.output.empty() || options.output == "-") {
    if (!text.empty())
      out.warning({options.first}, "what sidecars say of kernels is not written",
                  "-o FILE writes it beside the merged yaml");
    return exit_good;
  }
  const auto beside = find_sidecar(options.output);
  if (text.empty() && !is_foreign(beside, options)) return exit_good;
  const auto own = own_sidecar(options.output, out);
  if (!own) return exit_input;
  if (!write_output(own->string(), fmt::format("{}\n{}", banner, text), out))
    return exit_environment;
  if (text.empty())
    tell(fmt::format("{} says nothing of kernels now, as the sidecars of both libraries{}\n",
                     own->string(),
                     *beside == *own ? "" : fmt::format(", in the place of {}", beside->string())));
  return exit_good;
}

// Both libraries, and the sidecars beside them.
std::vector<fs::path> inputs_of(const KernelsMergeOptions& options) {
  std::vector<fs::path> inputs;
  for (const std::string& file : {options.first, options.fallback}) {
    inputs.emplace_back(file);
    if (const auto sidecar = find_sidecar(file)) inputs.push_back(*sidecar);
  }
  return inputs;
}

int merge(const KernelsMergeOptions& options) {
  Diagnostics problems;
  const auto first = read_source(options.first, problems);
  const auto fallback = read_source(options.fallback, problems);
  if (!first || !fallback) return exit_after(problems, exit_input);
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  KernelLibrary a = read_kernel_library(*first, catalogue, problems);
  KernelLibrary b = read_kernel_library(*fallback, catalogue, problems);
  check_schemas({a, b}, problems);
  const MergeBy by = options.by == "op" ? MergeBy::op : MergeBy::kernel;
  if (by == MergeBy::kernel) {
    refuse_dispatch(a, problems);
    refuse_dispatch(b, problems);
  }
  const WrittenOver over{banner, options.force, inputs_of(options)};
  if (problems.errors() > 0 || !may_write(options.output, over, problems))
    return exit_after(problems, exit_input);
  const Sidecar of_a = read_sidecar_of(options.first, problems);
  const Sidecar of_b = read_sidecar_of(options.fallback, problems);
  const std::string said = write_sidecar(settings_of_both({a, of_a}, {b, of_b}));
  a = with_sidecar(std::move(a), of_a);
  b = with_sidecar(std::move(b), of_b);
  const std::string merged =
      fmt::format("{}\n{}", banner, merge_kernel_yaml({*first, a}, {*fallback, b}, by, problems));
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const int status = write_sidecar_of_both(options, said, problems);
  if (status != exit_good || problems.errors() > 0) return exit_after(problems, status);
  return exit_after(problems,
                    write_output(options.output, merged, problems) ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_kernels_merge(CommandLine line) {
  auto options = std::make_shared<KernelsMergeOptions>();
  line.add_option("library YAML", options->first, "A kernel yaml, whose kernels come first")
      .required();
  line.add_option("--fallback YAML", options->fallback,
                  "A kernel yaml that has what the first lacks")
      .required();
  line.add_option(
          "--by WHAT", options->by,
          "op: an operator of the first loses all kernels of the fallback; kernel: it keeps "
          "those for other tensors")
      .one_of({"op", "kernel"});
  line.add_option("-o,--output FILE", options->output,
                  "Where the merged yaml goes; default: stdout");
  line.add_flag("--force", options->force, "Write over a file that kbench did not write");
  return [options] { return merge(*options); };
}

}  // namespace kbench
