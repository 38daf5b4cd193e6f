// Holds what is queued on the device back until all of a sample is queued: so no launch is waited
// for in between (nvbench's blocking kernel does the same).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "worker/cuda/driver.hpp"

namespace kbench::cuda {

class Gate {
 public:
  explicit Gate(const Driver& driver);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // What is queued from now on waits. Nothing where a candidate was found to wait for it itself.
  void close();
  void open();

 private:
  void watch();

  const Driver& driver_;
  std::uint32_t* word_ = nullptr;  // in the host's memory; the device reads it
  CUdeviceptr address_ = 0;
  std::uint32_t number_ = 0;  // of the last sample

  std::mutex mutex_;
  std::condition_variable changed_;
  // It has held back somebody who waited for the device: then it holds nothing back any more.
  bool has_given_up_ = false;
  bool is_closed_ = false;
  bool is_over_ = false;
  std::thread watchman_;
};

}  // namespace kbench::cuda
