# kbench::schema, the reader of records: docs/install.md
# kbench_add_kernel_library(): docs/kernels.md
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(yaml-cpp)
include(${CMAKE_CURRENT_LIST_DIR}/kbench-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/KbenchKernels.cmake)
