# lib/kbench/libkbench-emulation.a: the runtime that translated kernels are linked with. It is code of candidates: as
# quick as it gets, not instrumented, no name of it seen outside of their libraries. gcc's libbacktrace, which finds
# the lines of faults, is in it.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a OUTPUT_VARIABLE backtrace
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR NOT EXISTS "${backtrace}")
  return()
endif()
file(GLOB runtime_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/emulate/runtime/*.cpp
                                            ${CMAKE_SOURCE_DIR}/src/emulate/ptx/*.cpp)
add_library(kbench_emulation_objects OBJECT ${runtime_sources})
target_compile_features(kbench_emulation_objects PRIVATE cxx_std_20)
target_compile_definitions(kbench_emulation_objects PRIVATE KBENCH_EMULATION_RUNTIME)
target_include_directories(kbench_emulation_objects PRIVATE ${CMAKE_SOURCE_DIR}/src
                                                            ${CMAKE_SOURCE_DIR}/include/kbench/emulation)
target_compile_options(kbench_emulation_objects PRIVATE -O2 -g1 -fno-sanitize=all -ffp-contract=off
                       -fno-gnu-unique)  # such names stay global whatever objcopy is told
set_target_properties(kbench_emulation_objects PROPERTIES
  UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
# One object, of which only the runtime's interface is seen: templates of the standard library that a candidate's
# sources have as well, compiled with calls before each access, must not become the runtime's.
set(archive ${CMAKE_BINARY_DIR}/lib/kbench/libkbench-emulation.a)
set(object ${CMAKE_BINARY_DIR}/kbench-emulation.o)
add_custom_command(
  OUTPUT ${archive} DEPENDS kbench_emulation_objects $<TARGET_OBJECTS:kbench_emulation_objects> COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} $<TARGET_OBJECTS:kbench_emulation_objects>
          --whole-archive ${backtrace}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=kbench_emulation* --keep-global-symbol=_ZN16kbench_emulation*
          --keep-global-symbol=__tsan_* --keep-global-symbol=__ubsan_* --keep-global-symbol=_Z*cuda* ${object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} qcs ${archive} ${object}
  VERBATIM)
add_custom_target(kbench_emulation_archive ALL DEPENDS ${archive})
add_dependencies(programs kbench_emulation_archive)
set_property(GLOBAL PROPERTY KBENCH_EMULATION_ARCHIVE ${archive})
