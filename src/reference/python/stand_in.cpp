// Stand-in for a library of CUDA (see src/reference/python/CMakeLists.txt), or of LibTorch (see
// cmake/KbenchInstall.cmake). Functions are bound when they are called, which they are not; two
// symbols of NVSHMEM's are there because torch's library asks for them when it is loaded.
#ifdef KBENCH_NVSHMEM
extern "C" {
void nvshmem_init() { __builtin_trap(); }
int nvshmem_selected_device_transport = 0;
}
#endif
