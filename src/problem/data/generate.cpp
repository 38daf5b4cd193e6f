#include "problem/data/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <system_error>

#include "base/confined.hpp"
#include "base/digest.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "problem/bind.hpp"
#include "problem/data/draw.hpp"
#include "problem/data/random.hpp"
#include "problem/data/safetensors.hpp"
#include "problem/element.hpp"

namespace kbench {

namespace fs = std::filesystem;

StoredPlace stored_place(const fs::path& root, std::string_view path) {
  StoredPlace place{(root / path).lexically_normal(), "", ""};
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(root), error);
  const fs::path file = fs::weakly_canonical(fs::absolute(place.file), error);
  if (!may_be_outside() && (error || !is_below(file, folder))) {
    place.problem = "lies outside of the trace set";
    place.hint = "--allow-outside reads it; only where you trust who wrote the workload";
  }
  return place;
}

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t elements_per_task = 1 << 16;
constexpr std::size_t tasks_per_thread = 4;  // fewer are done before a thread has started

using Task = std::function<void()>;

// Runs the tasks, which may be done in any order, on up to `threads` threads.
void run_all(const std::vector<Task>& tasks, int threads) {
  in_parallel(tasks.size(), {threads, tasks_per_thread}, [&](std::size_t i) { tasks[i](); });
}

// Makes one Problem's inputs; see generate_inputs.
class Generator {
 public:
  Generator(const Problem& problem, const ValuePlan& values, const GenerateOptions& options,
            Diagnostics& diagnostics)
      : problem_(problem), values_(values), options_(options), diagnostics_(diagnostics) {}

  Inputs run() {
    const std::size_t before = diagnostics_.errors();
    std::size_t end = 0;
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) plan(i, end);
    if (diagnostics_.errors() != before) return {};
    draw();
    inputs_.memory = SharedMemory("kbench-inputs", end);
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) schedule(i);
    run_all(fills_, options_.threads);
    run_all(softmaxes_, options_.threads);
    inputs_.memory.seal_for_others();
    return std::move(inputs_);
  }

 private:
  void error(const TensorPlan& input, const std::string& message, std::string hint = "") {
    diagnostics_.add(of_workload(
        Level::error, options_.line.value("/workload/inputs/" + pointer_step(input.name)),
        problem_.workload, message, std::move(hint)));
  }

  // Binds scalars, finds the stored tensors and gives every tensor its place.
  void plan(std::size_t index, std::size_t& end) {
    const InputPlan& input = problem_.inputs[index];
    const TensorPlan& tensor = input.tensor;
    inputs_.values.push_back({tensor.name, {}, {tensor.dtype, tensor.shape, nullptr, 0}, 0, ""});
    BoundInput& bound = inputs_.values.back();
    stored_.emplace_back();
    if (const auto* literal = std::get_if<ScalarInput>(&input.source)) {
      bound.scalar = bind_scalar(tensor.dtype, literal->value);
      return;
    }
    if (const auto* file = std::get_if<SafetensorsInput>(&input.source))
      stored_.back() = find_stored(tensor, *file);
    if (tensor.is_scalar) return;
    bound.tensor.bytes = storage_bytes(tensor.dtype, element_count(tensor.shape));
    bound.offset = end;
    end += (bound.tensor.bytes + page - 1) / page * page;
  }

  Stream stream(std::size_t index) const {
    return {options_.seed, static_cast<std::uint32_t>(index), options_.trial};
  }

  // Draws what the plan says, and the random scalars.
  void draw() {
    DrawOptions options{options_.seed, options_.trial, [this](std::size_t i) { return given(i); },
                        options_.skew};
    drawn_ = draw_values(problem_, values_, options);
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const InputPlan& input = problem_.inputs[i];
      if (input.tensor.is_scalar && std::holds_alternative<RandomInput>(input.source))
        inputs_.values[i].scalar = sample(input.tensor.dtype, i);
    }
  }

  // The elements of an input from a file.
  std::vector<double> given(std::size_t index) const {
    if (stored_[index] == nullptr) return {};
    const TensorPlan& tensor = problem_.inputs[index].tensor;
    std::vector<double> out(element_count(tensor.shape));
    decode(tensor.dtype, stored_[index], 0, std::span(out));
    return out;
  }

  Scalar sample(DType dtype, std::size_t index) const {
    std::array<std::byte, 8> buffer{};
    if (drawn_[index].empty()) {
      fill_random(dtype, stream(index), buffer.data(), 0, 1);
    } else {
      encode(dtype, std::span<const double>(drawn_[index]), buffer.data(), 0);
    }
    return element(dtype, buffer.data(), 0);
  }

  // Returns the bytes of a stored tensor, checked; they lie in the mapped file.
  const std::byte* find_stored(const TensorPlan& tensor, const SafetensorsInput& source);
  const SafetensorsFile* open(const std::string& path, const TensorPlan& input);

  bool is_softmaxed(std::size_t index) const;
  std::string origin(std::size_t index) const;
  void schedule(std::size_t index);
  void schedule_softmax(const TensorPlan& tensor, std::byte* data);

  const Problem& problem_;
  const ValuePlan& values_;
  const GenerateOptions& options_;
  Diagnostics& diagnostics_;
  Inputs inputs_;
  std::vector<const std::byte*> stored_;    // one an input, nullptr where it is not from a file
  std::vector<std::vector<double>> drawn_;  // one row an input, empty where the plan says nothing
  std::map<std::string, std::optional<SafetensorsFile>> files_;
  std::vector<Task> fills_;
  std::vector<Task> softmaxes_;  // run after all fills
};

// Faults of a file are reported once, for the first input that comes from it.
const SafetensorsFile* Generator::open(const std::string& path, const TensorPlan& input) {
  const auto [place, is_new] = files_.try_emplace(path);
  if (is_new) {
    Diagnostics problems;
    place->second = SafetensorsFile::open(path, problems);
    for (const Diagnostic& problem : problems.items())
      error(input, fmt::format("'{}': {} {}", input.name, path, problem.message), problem.hint);
  }
  return place->second ? &*place->second : nullptr;
}

const std::byte* Generator::find_stored(const TensorPlan& tensor, const SafetensorsInput& source) {
  const StoredPlace place = stored_place(options_.root, source.path);
  const std::string path = place.file.string();
  if (!place.problem.empty()) {
    error(tensor, fmt::format("'{}': {} {}", tensor.name, path, place.problem), place.hint);
    return nullptr;
  }
  const SafetensorsFile* file = open(path, tensor);
  if (file == nullptr) return nullptr;
  const StoredTensor* found = file->find(source.tensor_key);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const StoredTensor& other : file->header().tensors) names.push_back(other.name);
    const std::string guess = did_you_mean(source.tensor_key, names);
    error(tensor, fmt::format("'{}': {} has no tensor '{}'", tensor.name, path, source.tensor_key),
          guess.empty() ? holds_text(file->header()) : guess);
    return nullptr;
  }
  const auto wrong = [&](const std::string& expected, std::string_view got) {
    error(tensor, fmt::format("'{}' expected {}, '{}' of {} is {}", tensor.name, expected,
                              source.tensor_key, path, got));
    return nullptr;
  };
  if (tensor.is_scalar) return wrong("a scalar", shape_text(found->shape));
  if (found->shape != tensor.shape)
    return wrong(shape_text(tensor.shape), shape_text(found->shape));
  if (found->dtype != tensor.dtype) {
    return wrong(std::string(info(tensor.dtype).name),
                 found->dtype ? info(*found->dtype).name : found->dtype_name);
  }
  return file->view(*found).data;
}

// Tells whether random numbers become probabilities.
bool Generator::is_softmaxed(std::size_t index) const {
  const bool planned =
      index < values_.size() && values_[index] && values_[index]->kind == ValueKind::probs;
  const TensorPlan& tensor = problem_.inputs[index].tensor;
  return stored_[index] == nullptr && info(tensor.dtype).kind == DTypeKind::floating &&
         (planned || (problem_.op_type == "sampling" && tensor.name == "probs"));
}

// Drawn and stored tensors count by their values; large random ones by their stream alone, for what
// a stream gives is a promise.
std::string Generator::origin(std::size_t index) const {
  const auto digest = [](const auto* data, std::size_t bytes) {
    return content_digest({reinterpret_cast<const char*>(data), bytes});
  };
  const std::vector<double>& drawn = drawn_[index];
  if (!drawn.empty()) return "drawn " + digest(drawn.data(), drawn.size() * sizeof(double));
  if (stored_[index] != nullptr)
    return "stored " + digest(stored_[index], inputs_.values[index].tensor.bytes);
  const Stream from = stream(index);
  return fmt::format("{} {} {} {}", is_softmaxed(index) ? "softmax" : "random", from.seed,
                     from.tensor, from.trial);
}

void Generator::schedule(std::size_t index) {
  const TensorPlan& tensor = problem_.inputs[index].tensor;
  if (tensor.is_scalar) return;
  BoundInput& bound = inputs_.values[index];
  std::byte* data = inputs_.memory.data() + bound.offset;
  bound.tensor.data = data;
  bound.origin = origin(index);
  const std::size_t count = element_count(tensor.shape);
  const std::byte* stored = stored_[index];
  if (!drawn_[index].empty()) {
    const std::span<const double> values(drawn_[index]);
    fills_.push_back([=, dtype = tensor.dtype] { encode(dtype, values, data, 0); });
    return;
  }
  for (std::size_t first = 0; first < count; first += elements_per_task) {
    const std::size_t part = std::min(elements_per_task, count - first);
    if (stored != nullptr) {
      const std::size_t begin = storage_bytes(tensor.dtype, first);
      const std::size_t bytes = storage_bytes(tensor.dtype, part);
      fills_.push_back([=] { std::memcpy(data + begin, stored + begin, bytes); });
    } else {
      fills_.push_back([=, dtype = tensor.dtype, stream = stream(index)] {
        fill_random(dtype, stream, data, first, part);
      });
    }
  }
  if (is_softmaxed(index)) schedule_softmax(tensor, data);
}

void Generator::schedule_softmax(const TensorPlan& tensor, std::byte* data) {
  const std::size_t width =
      tensor.shape.empty() ? 1 : static_cast<std::size_t>(tensor.shape.back());
  if (width == 0) return;
  const auto row = [=, dtype = tensor.dtype](std::size_t first) {
    std::vector<double> values(width);
    decode(dtype, data, first, std::span(values));
    softmax(values);
    encode(dtype, std::span<const double>(values), data, first);
  };
  // Rows of packed float4 may share a byte: one task does them all.
  const std::size_t count = element_count(tensor.shape);
  const std::size_t step = info(tensor.dtype).bits < 8 ? count : width;
  for (std::size_t begin = 0; begin < count; begin += step) {
    softmaxes_.push_back([=] {
      for (std::size_t first = begin; first < begin + step; first += width) row(first);
    });
  }
}

}  // namespace

Inputs generate_inputs(const Problem& problem, const ValuePlan& values,
                       const GenerateOptions& options, Diagnostics& diagnostics) {
  return Generator(problem, values, options, diagnostics).run();
}

}  // namespace kbench
