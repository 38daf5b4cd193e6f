// What is to be said of times that were taken on a GPU.
#pragma once

#include <string>

#include "schema/details.hpp"

namespace kbench {

// That events and the device's own records (CUPTI) disagree by more than 5 % and a microsecond, or
// that something held the clocks back; "" for nothing. Cold calls are not compared: the records
// are of warm ones.
std::string gpu_remark(const Timing& timing);

}  // namespace kbench
