// What the device itself says it did, and when: CUPTI's activity records ("CUPTI" 13, Activity
// API), beside the events around the calls.
#pragma once

#include <cupti.h>

#include <optional>
#include <string>

namespace kbench::cuda {

// One a process: CUPTI's callbacks know of no other.
class Activity {
 public:
  // Opens `library`, libcupti.so.13 or a path. Null where it cannot be, or is refused: that is no
  // fault of anybody's.
  static Activity* open(const std::string& library);

  // Between the two all that the device begins is recorded. The second wants the device to have
  // ended it: nanoseconds from the begin of the first to the end of the last kernel, copy or fill;
  // nothing where there was none.
  bool begin();
  std::optional<double> end();

 private:
  struct Calls {
    decltype(&::cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
    decltype(&::cuptiActivityEnable) enable = nullptr;
    decltype(&::cuptiActivityDisable) disable = nullptr;
    decltype(&::cuptiActivityFlushAll) flush = nullptr;
    decltype(&::cuptiActivityGetNextRecord) next = nullptr;
  };
  Activity() = default;
  static void take(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                   std::size_t valid);
  void add(const CUpti_Activity& record);

  Calls calls_;
  std::uint64_t first_ = 0, last_ = 0;  // nanoseconds of the device's clock
};

}  // namespace kbench::cuda
