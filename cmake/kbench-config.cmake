# kbench_add_kernel_library(): docs/kernels.md
# kbench::schema, the reader of records: docs/install.md. It alone needs other packages: where they are not installed,
# there is none, which is an error of find_package(kbench COMPONENTS schema).
include(CMakeFindDependencyMacro)
if(schema IN_LIST kbench_FIND_COMPONENTS)
  find_dependency(fmt)
  find_dependency(yaml-cpp)
else()
  find_package(fmt QUIET)
  find_package(yaml-cpp QUIET)
endif()
if(fmt_FOUND AND yaml-cpp_FOUND AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/kbench-targets.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/kbench-targets.cmake)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/KbenchKernels.cmake)
