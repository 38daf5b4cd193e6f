// A stand-in for libnvidia-ml.so.1: one device, GPU-1, that is hot. Its clocks may be locked where
// the environment has FAKE_NVML_ROOT.
#include <cstdlib>
#include <cstring>

namespace {
unsigned locked = 0;
}

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = nullptr;
  return std::strcmp(uuid, "GPU-1") == 0 ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  return *mhz = kind != 1 ? 2619 : locked != 0 ? 1590 : 1410, 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return *celsius = 83, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return 3; }  // NVML_ERROR_NOT_SUPPORTED
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  return *bits = 0x25, 0;
}
int nvmlDeviceSetGpuLockedClocks(void*, unsigned least, unsigned most) {
  if (std::getenv("FAKE_NVML_ROOT") == nullptr) return 4;  // NVML_ERROR_NO_PERMISSION
  return least == most ? locked = least, 0 : 2;            // NVML_ERROR_INVALID_ARGUMENT
}
int nvmlDeviceResetGpuLockedClocks(void*) { return locked = 0, 0; }
}
