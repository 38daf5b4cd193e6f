#include "import/formats.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr std::string_view json_files[] = {".json", ".jsonl"};
constexpr std::string_view python_files[] = {".py"};
constexpr std::string_view task_files[] = {".yml", ".py"};

constexpr ImportFormat table[] = {
    {"sol-execbench", "NVIDIA SOL-ExecBench: a folder a problem", json_files},
    {"fi-trace", "FlashInfer's dumps (FLASHINFER_TRACE_DUMP): a Definition a file", json_files},
    {"flashinfer-2025", "FlashInfer-Bench's data set of mid-2025", json_files},
    {"kernelbench", "KernelBench: modules of Python with a Model, or a ModelNew that answers one",
     python_files},
    {"gpu-mode", "GPU MODE's reference-kernels: a folder a problem, with task.yml and reference.py",
     task_files},
};

}  // namespace

std::span<const ImportFormat> import_formats() { return table; }

const ImportFormat* find_import_format(std::string_view name) {
  const auto row = std::find_if(std::begin(table), std::end(table),
                                [&](const ImportFormat& format) { return format.name == name; });
  return row == std::end(table) ? nullptr : row;
}

}  // namespace kbench
