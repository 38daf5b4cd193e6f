#include "worker/cuda/hardware.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace kbench::cuda {
namespace {

// Time for queueing a sample, which takes microseconds.
constexpr auto patience = std::chrono::milliseconds(50);

}  // namespace

Gate::Gate(const Driver& driver) : driver_(driver) {
  void* memory = nullptr;
  check(driver_, driver_.allocate_host(&memory, sizeof *word_, CU_MEMHOSTALLOC_DEVICEMAP),
        "memory that the device reads");
  word_ = static_cast<std::uint32_t*>(memory);
  *word_ = 0;
  check(driver_, driver_.host_address(&address_, memory, 0), "memory that the device reads");
  watchman_ = std::thread([this] { watch(); });
}

Gate::~Gate() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  watchman_.join();
}

void Gate::close() {
  {
    const std::lock_guard lock(mutex_);
    if (has_given_up_) return;
    ++number_;
    is_closed_ = true;
  }
  changed_.notify_one();
  check(driver_, driver_.wait_value(nullptr, address_, number_, CU_STREAM_WAIT_VALUE_GEQ),
        "the device's wait for the host");
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  is_closed_ = false;
  __atomic_store_n(word_, number_, __ATOMIC_RELEASE);
  changed_.notify_one();
}

// Opens the gate when nobody else does: a call that waits for the device would wait for ever.
void Gate::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_closed_ || is_over_; });
    if (is_over_) return;
    const bool is_opened =
        changed_.wait_for(lock, patience, [this] { return !is_closed_ || is_over_; });
    if (is_opened) continue;
    has_given_up_ = true;
    is_closed_ = false;
    __atomic_store_n(word_, number_, __ATOMIC_RELEASE);
  }
}

using worker::Answer;
using worker::Control;
using worker::MappedTensor;

namespace {

constexpr std::size_t alignment = 512;  // a tensor's, as in frameworks
constexpr std::size_t margin = 512;     // bytes around an output, to detect writes beyond it
constexpr std::size_t sweeps = 2;       // size of the swept memory / size of the cache

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

bool GpuHardware::attempt(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const DeviceFailure& failure) {
    control_->device_error = static_cast<std::int32_t>(failure.code);
    say(*control_, Answer::device_failed, failure.what());
    return false;
  }
}

// Opens device 0: the judge shows no other.
void GpuHardware::open() {
  driver_ = open_driver(library_);
  const CUdevice device = use_first_device(driver_);
  for (CUevent* const event : {&begin_, &end_})
    check(driver_, driver_.create_event(event, CU_EVENT_DEFAULT), "an event");
  int cache = 0;
  check(driver_, driver_.device_attribute(&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device),
        "the size of the device's cache");
  sweep_bytes_ = sweeps * static_cast<std::size_t>(std::max(cache, 1));
  check(driver_, driver_.allocate(&sweep_, sweep_bytes_), "memory to sweep the cache with");
  gate_ = std::make_unique<Gate>(driver_);
}

void GpuHardware::reserve_copies(const Control& control) {
  if (control.copies < 2) return;
  const auto add = [this](const worker::Argument* arguments, int count) {
    for (int i = 0; i < count; ++i)
      if (arguments[i].kind == worker::ArgumentKind::tensor)
        copy_bytes_ += rounded_up(margin + arguments[i].bytes + margin);
  };
  add(control.inputs, control.input_count);
  add(control.outputs, control.output_count);
  check(driver_, driver_.allocate(&copies_, control.copies * copy_bytes_), "copies of the tensors");
}

// Returns a tensor's memory: allocated for it alone, or a part of the first of the copies.
CUdeviceptr GpuHardware::take(std::size_t bytes) {
  CUdeviceptr memory = copies_ + taken_bytes_;
  if (copies_ != 0) {
    taken_bytes_ += rounded_up(bytes);
  } else {
    check(driver_, driver_.allocate(&memory, std::max<std::size_t>(bytes, 1)),
          "memory for the tensors");
  }
  return memory;
}

// Places `before` of the bytes in front of the tensor, which itself is aligned.
GpuHardware::Image GpuHardware::make_image(std::byte* host, std::size_t bytes, std::size_t before) {
  const std::size_t front = rounded_up(before);
  return {host, bytes, take(front + bytes - before) + front - before, false};
}

void GpuHardware::place_input(MappedTensor& tensor, bool is_scratch) {
  if (tensor.data == nullptr) return inputs_.push_back({});  // a scalar
  Image image = make_image(tensor.data, tensor.bytes, 0);
  image.is_scratch = is_scratch;
  tensor.seen = reinterpret_cast<void*>(image.device);
  inputs_.push_back(image);
}

// Leaves no margin where a tool watches: it sees itself who leaves a tensor, if none is there.
void GpuHardware::place_output(MappedTensor& tensor) {
  const std::size_t around = control_->is_watched != 0 ? 0 : margin;
  const auto front = static_cast<std::size_t>(tensor.data - tensor.pages.begin);
  const std::size_t before = std::min(front, around);
  const std::size_t after = std::min(tensor.pages.size - front - tensor.bytes, around);
  outputs_.push_back(make_image(tensor.data - before, before + tensor.bytes + after, before));
  tensor.seen = reinterpret_cast<void*>(outputs_.back().device + before);
}

bool GpuHardware::place(Control& control, std::vector<MappedTensor>& inputs,
                        std::vector<MappedTensor>& outputs) {
  control_ = &control;
  return attempt([&] {
    nvtx_ = Nvtx();  // early: a filter may later forbid what the profiler needs for it
    open();
    reserve_copies(control);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      place_input(inputs[i], control.inputs[i].is_scratch != 0);
    if (control.destination_passing == 0) return;  // the candidate asks for its own
    for (MappedTensor& output : outputs) place_output(output);
  });
}

// Doubles the number of copies with each step.
void GpuHardware::send_copies() {
  current_ = 0;
  const std::size_t copies = copies_ == 0 ? 1 : control_->copies;
  for (std::size_t have = 1; have < copies; have *= 2) {
    const std::size_t bytes = std::min(have, copies - have) * copy_bytes_;
    check(driver_, driver_.copy_there(copies_ + have * copy_bytes_, copies_, bytes),
          "copies of the tensors");
  }
}

// Begins a single call's range, its inputs being there. Epochs have a range of their own.
void GpuHardware::begin_range() {
  const worker::Command what = control_->command;
  const bool is_single = what == worker::Command::call || what == worker::Command::audit ||
                         what == worker::Command::profile;
  if (is_single && !std::exchange(is_in_range_, true)) nvtx_.push();
}

void GpuHardware::end_range() {
  if (std::exchange(is_in_range_, false)) nvtx_.pop();
}

bool GpuHardware::send() {
  return attempt([this] {
    for (const auto* const images : {&inputs_, &outputs_})
      for (const Image& image : *images)
        if (image.bytes > 0)
          check(driver_, driver_.copy_to_device(image.device, image.host, image.bytes),
                "the tensors' way to the device");
    send_copies();
    begin_range();
  });
}

// Returns the offset, in bytes, of the tensors of the next timed call.
std::size_t GpuHardware::next_copy() {
  if (copies_ == 0) return 0;
  current_ = (current_ + 1) % control_->copies;
  return current_ * copy_bytes_;
}

bool GpuHardware::wait() {
  const bool is_good =
      attempt([this] { check(driver_, driver_.synchronize(), "the end of the call"); });
  end_range();
  return is_good;
}

bool GpuHardware::has_written_inputs() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Image& image = inputs_[i];
    if (image.is_scratch || image.bytes == 0) continue;
    copy_.resize(image.bytes);
    check(driver_, driver_.copy_to_host(copy_.data(), image.device, image.bytes),
          "the inputs' way back");
    if (std::memcmp(copy_.data(), image.host, image.bytes) == 0) continue;
    say(*control_, Answer::wrote_input, std::to_string(i));
    return true;
  }
  return false;
}

bool GpuHardware::show_profiler(bool is_seen) {
  return attempt([&] {
    auto* const turn = is_seen ? driver_.start_profiler : driver_.stop_profiler;
    check(driver_, turn(), "the profiler");
  });
}

bool GpuHardware::fetch(bool is_judged) {
  bool is_good = true;
  const bool is_whole = attempt([&] {
    const std::size_t moved = current_ * copy_bytes_;
    for (const Image& image : outputs_)
      check(driver_, driver_.copy_to_host(image.host, image.device + moved, image.bytes),
            "the outputs' way back");
    is_good = !is_judged || !has_written_inputs();
  });
  return is_whole && is_good;
}

std::byte* GpuHardware::allocate(std::size_t bytes) {
  CUdeviceptr memory = 0;
  return driver_.allocate(&memory, bytes) == CUDA_SUCCESS ? reinterpret_cast<std::byte*>(memory)
                                                          : nullptr;
}

bool GpuHardware::put(std::byte* to, const std::byte* from, std::size_t bytes) {
  return attempt([&] {
    check(driver_, driver_.copy_to_device(reinterpret_cast<CUdeviceptr>(to), from, bytes),
          "what fills fresh memory");
  });
}

bool GpuHardware::bring(std::byte* to, const std::byte* from, std::size_t bytes) {
  return attempt([&] {
    check(driver_, driver_.copy_to_host(to, reinterpret_cast<CUdeviceptr>(from), bytes),
          "the results' way back");
  });
}

}  // namespace kbench::cuda
