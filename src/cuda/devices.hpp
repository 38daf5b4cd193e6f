// What GPUs there are.
#pragma once

#include <string>

namespace kbench::cuda {

// Prints a JSON array of what the driver shows, one object a device, and returns 0; 1 where it
// shows nothing, with the reason as a JSON string.
int print_devices(const std::string& driver_library);

}  // namespace kbench::cuda
