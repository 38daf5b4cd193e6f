#include "reference/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/python.hpp"

namespace kbench {
namespace {

bool lies_in(const SharedMemory& memory, std::size_t offset, std::size_t bytes) {
  return offset <= memory.size() && bytes <= memory.size() - offset && offset % 64 == 0;
}

std::span<const double> doubles(const SharedMemory& memory, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<const double*>(memory.data() + offset), count};
}

template <typename Number>
std::span<const Number> numbers(const SharedMemory& memory, const MemoryPart& part) {
  if (part.count == 0) return {};
  if (part.count > memory.size() / sizeof(Number) ||
      !lies_in(memory, part.offset, part.count * sizeof(Number))) {
    throw std::runtime_error("kbench-torch sent an output's origin that does not fit its memory");
  }
  return {reinterpret_cast<const Number*>(memory.data() + part.offset), part.count};
}

bool is_known(ChoiceKind kind) { return kind >= ChoiceKind::greatest && kind <= ChoiceKind::drawn; }

bool is_whole(const ChoiceRow& row) {
  return is_known(row.kind) && row.picked >= 1 && row.options >= 1;
}

// Tells whether the parts fit each other, and every slot lies in the output.
bool is_whole(const Chosen& chosen, std::size_t elements) {
  std::size_t picked = 0, options = 0;
  for (const ChoiceRow& row : chosen.rows) {
    if (!is_whole(row)) return false;
    picked += static_cast<std::size_t>(row.picked);
    options += static_cast<std::size_t>(row.options);
    if (picked > chosen.slots.size() || options > chosen.scores.size()) return false;
  }
  const bool have_options = chosen.options.empty() || chosen.options.size() == options;
  return picked == chosen.slots.size() && options == chosen.scores.size() && have_options &&
         chosen.condition.size() == options &&
         std::all_of(chosen.slots.begin(), chosen.slots.end(), [&](std::int64_t slot) {
           return slot >= 0 && static_cast<std::size_t>(slot) < elements;
         });
}

void read_origin(const ExactOutput& output, const SharedMemory& memory, ExactTensor& out) {
  const std::size_t count = element_count(output.shape);
  const auto scores = numbers<double>(memory, output.scores);
  const auto condition = numbers<double>(memory, output.score_condition);
  bool is_good = true;
  if (output.rounding != Rounding::none) {
    out.rounded = RoundedFrom{output.rounding, scores, condition};
    is_good = output.rounding >= Rounding::none && output.rounding <= Rounding::toward_zero &&
              scores.size() == count && condition.size() == count;
  } else if (output.choice_rows.count > 0) {
    out.chosen = Chosen{numbers<ChoiceRow>(memory, output.choice_rows),
                        numbers<std::int64_t>(memory, output.slots),
                        numbers<std::int64_t>(memory, output.options), scores, condition};
    is_good = is_whole(*out.chosen, count);
  }
  if (!is_good) throw std::runtime_error("kbench-torch sent an output's origin that is not whole");
}

// Reads alternates whose every index lies in the output.
std::vector<Alternates> read_moved(const ExactOutput& output, const SharedMemory& memory) {
  const auto elements = static_cast<std::int64_t>(element_count(output.shape));
  std::vector<Alternates> out;
  for (const MovedOutput& moved : output.moved) {
    const auto flat = numbers<std::int64_t>(memory, moved.seen);
    const std::span seen(reinterpret_cast<const Alternate*>(flat.data()), flat.size() / 2);
    const bool is_good = flat.size() % 2 == 0 && moved.per_run >= 0 &&
                         std::all_of(seen.begin(), seen.end(), [&](const Alternate& one) {
                           return one.index >= 0 && one.index < elements;
                         });
    if (!is_good)
      throw std::runtime_error("kbench-torch sent what an output may be, and it does not fit it");
    out.push_back({seen, moved.per_run});
  }
  return out;
}

ExactTensor tensor(const ExactOutput& output, const SharedMemory& memory) {
  const std::size_t count = element_count(output.shape);
  const std::size_t bytes =
      output.is_floating ? count * sizeof(double) : storage_bytes(output.dtype, count);
  // Shapes beyond half a byte an element have wrapped the product around.
  bool fits =
      count <= 2 * memory.size() && bytes == output.bytes && lies_in(memory, output.offset, bytes);
  if (output.is_floating) fits = fits && lies_in(memory, output.condition_offset, bytes);
  if (!fits)
    throw std::runtime_error("kbench-torch sent exact outputs that do not fit their memory");
  ExactTensor out;
  out.is_floating = output.is_floating;
  out.shape = output.shape;
  out.after_product = output.after_product;
  out.after_codes = output.after_codes;
  out.only_sums = output.only_sums;
  out.is_uncertain = output.is_uncertain;
  if (output.is_floating) {
    out.values = doubles(memory, output.offset, count);
    out.condition = doubles(memory, output.condition_offset, count);
    out.roundings = numbers<double>(memory, output.roundings);
    if (!out.roundings.empty() && out.roundings.size() != count)
      throw std::runtime_error("kbench-torch sent roundings that do not fit their output");
  } else {
    out.stored = {output.dtype, output.shape, memory.data() + output.offset, bytes};
    read_origin(output, memory, out);
    out.moved = read_moved(output, memory);
  }
  return out;
}

}  // namespace

std::vector<TensorView> output_views(const ReferenceReply& reply, const SharedMemory& memory) {
  std::vector<TensorView> out;
  for (const ReferenceOutput& output : reply.outputs) {
    const bool inside =
        output.offset <= memory.size() && output.bytes <= memory.size() - output.offset;
    if (!inside || output.bytes != storage_bytes(output.dtype, element_count(output.shape)))
      throw std::runtime_error("kbench-torch sent outputs that do not fit their memory");
    out.push_back({output.dtype, output.shape, memory.data() + output.offset, output.bytes});
  }
  return out;
}

ExactAnswer exact_answer(const ReferenceReply& reply, SharedMemory memory) {
  ExactAnswer answer;
  answer.memory = std::move(memory);
  answer.perturbed_runs = reply.perturbed_runs;
  answer.rounded_runs = reply.rounded_runs;
  answer.makes_codes = reply.makes_codes;
  answer.longest_sum = std::max(reply.longest_sum, 1.0);
  answer.shares_an_error = reply.shares_an_error;
  answer.uses_picks = reply.uses_picks;
  for (const ExactOutput& output : reply.exact)
    answer.outputs.push_back(tensor(output, answer.memory));
  return answer;
}

GradientAnswer to_gradient(ReferenceReply reply, SharedMemory memory, Evaluator evaluator) {
  GradientAnswer answer;
  answer.outcome = reply.outcome;
  answer.evaluator = evaluator;
  answer.message = std::move(reply.message);
  answer.line = reply.line;
  if (reply.outcome != ReferenceOutcome::ok) return answer;
  const std::vector<TensorView> native = output_views(reply, memory);
  ExactAnswer exact = exact_answer(reply, std::move(memory));
  if (std::max(native.size(), exact.outputs.size()) != reply.gradients_of.size())
    throw std::runtime_error("kbench-torch sent another number of gradients than it says");
  if (!reply.slopes.empty() && reply.slopes.size() != reply.gradients_of.size())
    throw std::runtime_error("kbench-torch sent another number of slopes than of gradients");
  answer.perturbed_runs = exact.perturbed_runs;
  answer.longest_sum = exact.longest_sum;
  answer.shares_an_error = exact.shares_an_error;
  for (std::size_t i = 0; i < reply.gradients_of.size(); ++i) {
    GradientAnswer::Gradient& gradient = answer.gradients.emplace_back();
    gradient.input = reply.gradients_of[i];
    gradient.is_unused =
        std::find(reply.unused.begin(), reply.unused.end(), gradient.input) != reply.unused.end();
    if (!native.empty()) gradient.native = native[i];
    if (!exact.outputs.empty()) gradient.exact = exact.outputs[i];
    if (!reply.slopes.empty()) gradient.slope = reply.slopes[i];
  }
  answer.memory = std::move(exact.memory);
  return answer;
}

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
  // JSON texts and lines have no breaks: no two lists of them give the same text.
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
