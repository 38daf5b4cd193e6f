# lib/kbench/libkbench-emulation.a: the runtime that translated kernels are linked with. It is code of candidates: as
# quick as it gets, not instrumented, no name of it seen outside of their libraries. gcc's libbacktrace, which finds
# the lines of faults, is in it.
set(runtime ${CMAKE_SOURCE_DIR}/src/emulate)
file(GLOB runtime_sources CONFIGURE_DEPENDS ${runtime}/runtime/*.cpp)
file(GLOB ptx_sources CONFIGURE_DEPENDS ${runtime}/ptx_*.cpp)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a OUTPUT_VARIABLE backtrace
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND EXISTS "${backtrace}")
  set(objects ${CMAKE_BINARY_DIR}/backtrace)
  file(MAKE_DIRECTORY ${objects})
  execute_process(COMMAND ${CMAKE_AR} x ${backtrace} WORKING_DIRECTORY ${objects} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB backtrace_objects ${objects}/*.o)
  set_source_files_properties(${backtrace_objects} PROPERTIES EXTERNAL_OBJECT ON)
  add_library(kbench-emulation STATIC ${runtime_sources} ${ptx_sources} ${backtrace_objects})
  target_compile_features(kbench-emulation PRIVATE cxx_std_20)
  target_compile_definitions(kbench-emulation PRIVATE KBENCH_EMULATION_RUNTIME)
  target_include_directories(kbench-emulation PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include/kbench/emulation)
  target_compile_options(kbench-emulation PRIVATE -O2 -g1 -fno-sanitize=all -ffp-contract=off -Wno-subobject-linkage)
  set_target_properties(kbench-emulation PROPERTIES
    UNITY_BUILD OFF OUTPUT_NAME kbench-emulation POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/kbench)
  add_dependencies(programs kbench-emulation)
endif()
