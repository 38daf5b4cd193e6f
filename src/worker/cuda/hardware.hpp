// Hardware of NVIDIA's: a GPU that holds a candidate's tensors and runs its calls. The worker
// copies them there and back; a candidate never sees the judge's memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "worker/cuda/driver.hpp"
#include "worker/hardware.hpp"

namespace kbench::cuda {

// Gate before the device's queue, closed until all of a sample is queued: so no launch is waited
// for in between (nvbench's blocking kernel does the same).
class Gate {
 public:
  explicit Gate(const Driver& driver);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Holds back all that is queued from now on; does nothing once has_given_up_.
  void close();
  void open();

 private:
  void watch();

  const Driver& driver_;
  std::uint32_t* word_ = nullptr;  // word in the host's memory; the device reads it
  CUdeviceptr address_ = 0;
  std::uint32_t number_ = 0;  // number of the last sample

  std::mutex mutex_;
  std::condition_variable changed_;
  // A candidate inside a call waited for the device: from then on nothing is held back any more.
  bool has_given_up_ = false;
  bool is_closed_ = false;
  bool is_over_ = false;
  std::thread watchman_;
};

class GpuHardware final : public worker::Hardware {
 public:
  // `cupti_library` is tried when its records are asked for; "" for none.
  explicit GpuHardware(std::string driver_library, std::string cupti_library = "")
      : library_(std::move(driver_library)), cupti_(std::move(cupti_library)) {}

  DLDevice device() const override { return {kDLCUDA, 0}; }
  bool place(worker::Control& control, std::vector<worker::MappedTensor>& inputs,
             std::vector<worker::MappedTensor>& outputs) override;
  bool send() override;
  bool wait() override;
  bool fetch(bool is_judged) override;
  std::byte* allocate(std::size_t bytes) override;
  bool put(std::byte* to, const std::byte* from, std::size_t bytes) override;
  bool bring(std::byte* to, const std::byte* from, std::size_t bytes) override;
  bool show_profiler(bool is_seen) override;
  bool run_epochs(worker::Control& control, worker::Candidate& candidate) override;

  // Driver that place() has opened.
  const Driver& driver() const { return driver_; }

 private:
  // Device copy of a tensor and its bytes on the host: for outputs with some around it.
  struct Image {
    std::byte* host = nullptr;
    std::size_t bytes = 0;
    CUdeviceptr device = 0;
    bool is_scratch = false;  // an input that may be written to
  };

  // Returns false where `work` throws: the control block says why.
  bool attempt(const std::function<void()>& work);
  void open();
  void reserve_copies(const worker::Control& control);
  CUdeviceptr take(std::size_t bytes);
  void send_copies();
  std::size_t next_copy();
  Image make_image(std::byte* host, std::size_t bytes, std::size_t before);
  void place_input(worker::MappedTensor& tensor, bool is_scratch);
  void place_output(worker::MappedTensor& tensor);
  bool has_written_inputs();
  double elapsed_ns() const;
  // Returns one sample, nanoseconds; nothing where a call failed.
  template <class Call>
  std::optional<double> take_sample(const Call& call);
  template <class Call>
  bool take_samples(const Call& call);
  void let_go_of_lines();
  void sweep();

  bool record_activity(worker::Candidate& candidate);
  void begin_range();
  void end_range();

  std::string library_, cupti_;
  worker::Control* control_ = nullptr;
  Driver driver_;
  std::unique_ptr<Gate> gate_;
  CUevent begin_ = nullptr, end_ = nullptr;
  CUdeviceptr sweep_ = 0;  // memory whose filling leaves nothing else in the cache
  std::size_t sweep_bytes_ = 0;
  std::vector<Image> inputs_, outputs_;
  // Several copies of all tensors, one behind the other; the first one is sent.
  CUdeviceptr copies_ = 0;
  std::size_t copy_bytes_ = 0, taken_bytes_ = 0;  // bytes of one copy
  std::size_t current_ = 0;                       // index of the last call's copy
  Nvtx nvtx_{"", ""};
  bool is_in_range_ = false;     // a single call's
  std::vector<std::byte> copy_;  // an input brought back, to see whether it was written to
};

}  // namespace kbench::cuda
