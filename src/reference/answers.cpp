#include "reference/answers.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/python.hpp"

namespace kbench {
namespace {

constexpr std::string_view form = "kbench answer 3";

std::string_view text_of(const SharedMemory& memory, std::size_t offset, std::size_t bytes) {
  return {reinterpret_cast<const char*>(memory.data()) + offset, bytes};
}

}  // namespace

std::string evaluator_identity(const std::filesystem::path& kbench_torch, bool by_content) {
  std::vector<std::filesystem::path> files = {kbench_torch};
  const std::filesystem::path python = installation().plugins / "python";
  for (const char* file : {"kbench_host.py", "kbench_glue.py"}) files.push_back(python / file);
  if (const auto libtorch = find_libtorch()) {
    if (libtorch_problem(libtorch, torch_versions(), "").empty())
      files.push_back(torch_library(libtorch));
    for (const char* file : {"libtorch_cpu.so", "libc10.so", "libtorch_python.so"})
      files.push_back(libtorch->folder / "lib" / file);
    if (const auto interpreter = find_python(*libtorch)) files.push_back(interpreter->program);
  }
  std::string text;
  for (const auto& file : files)
    text += by_content ? content_identity(file) + "; "
                       : fmt::format("{} {}; ", file.string(), file_identity(file));
  return text;
}

std::string answer_key(ReferenceRequest request, const Inputs& inputs, const std::string& evaluator,
                       const std::string& machine) {
  request.seconds = 0;
  request.bytes = 0;
  // JSON texts and lines without breaks: no two lists of them give the same text.
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", form, evaluator, machine, encode(request));
  for (const BoundInput& input : inputs.values) {
    if (input.scalar) continue;
    const auto bytes = text_of(inputs.memory, input.offset, input.tensor.bytes);
    text += (input.origin.empty() ? content_digest(bytes) : input.origin) + "\n";
  }
  return sha256_hex(text);
}

std::optional<KeptAnswer> find_answer(const Cache& cache, const std::string& key) {
  auto entry = cache.find(key);
  if (!entry) return std::nullopt;
  const std::string_view text = entry->text;
  const auto version_end = text.find('\n');
  const auto evaluator_end = text.find('\n', version_end + 1);
  if (version_end == text.npos || evaluator_end == text.npos) return std::nullopt;
  const auto name = text.substr(version_end + 1, evaluator_end - version_end - 1);
  const bool is_python = name == evaluator_name(Evaluator::python);
  return KeptAnswer{{std::string(text.substr(0, version_end)),
                     is_python ? Evaluator::python : Evaluator::libtorch,
                     std::string(text.substr(evaluator_end + 1))},
                    std::move(entry->file)};
}

void keep_answer(Cache& cache, const std::string& key, const Said& said,
                 const SharedMemory& memory) {
  cache.insert(
      key,
      fmt::format("{}\n{}\n{}", said.torch_version, evaluator_name(said.evaluator), said.reply),
      text_of(memory, 0, memory.size()));
}

}  // namespace kbench
