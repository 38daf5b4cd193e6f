// What GPUs there are.
#pragma once

#include <string>

namespace kbench::cuda {

// Prints a JSON array of what the driver shows, one object a device, and returns 0; 1 where it
// shows nothing, with the reason as a JSON string.
int print_devices(const std::string& driver_library);

// Writes to the first device and reads it back; 0 where that comes back as it was, else 1, with the
// reason printed.
int probe_device(const std::string& driver_library);

}  // namespace kbench::cuda
