// A stand-in for libnvidia-ml.so.1: one device, GPU-1, that is hot.
#include <cstring>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = nullptr;
  return std::strcmp(uuid, "GPU-1") == 0 ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  return *mhz = kind == 1 ? 1410 : 2619, 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return *celsius = 83, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return 3; }  // NVML_ERROR_NOT_SUPPORTED
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  return *bits = 0x25, 0;
}
}
