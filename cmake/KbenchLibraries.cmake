# fmt::fmt, spdlog::spdlog, yaml-cpp and MD_LIBRARY: Debian's shared libraries, or with KBENCH_STATIC static ones, for a
# wheel: the machine that it is installed on has none of them, and a sandbox shows a program no library beside it.
option(KBENCH_STATIC "Link nothing dynamically but the C and C++ runtimes" OFF)
if(NOT KBENCH_STATIC)
  find_package(fmt REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(yaml-cpp REQUIRED)
  find_library(MD_LIBRARY md REQUIRED)
  return()
endif()

# Debian has no static ones of these two. Their definitions are those of the shared ones: objects are the same then, and
# ccache finds them.
set(folder ${CMAKE_SOURCE_DIR}/packaging/wheel/static)
add_library(kbench_static_fmt STATIC ${folder}/fmt.cpp)
target_compile_definitions(kbench_static_fmt PUBLIC FMT_SHARED)
add_library(fmt::fmt ALIAS kbench_static_fmt)
add_library(kbench_static_spdlog STATIC ${folder}/spdlog.cpp)
target_compile_definitions(kbench_static_spdlog PUBLIC SPDLOG_SHARED_LIB SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
target_link_libraries(kbench_static_spdlog PUBLIC fmt::fmt Threads::Threads)
add_library(spdlog::spdlog ALIAS kbench_static_spdlog)
set_target_properties(kbench_static_fmt kbench_static_spdlog PROPERTIES POSITION_INDEPENDENT_CODE ON
                      UNITY_BUILD OFF)
find_library(YAML_CPP_LIBRARY libyaml-cpp.a REQUIRED)
add_library(yaml-cpp INTERFACE)
# Debian's cannot be part of a library; kbench-torch's reads no YAML, and drops what would.
target_link_libraries(yaml-cpp INTERFACE
                      $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:${YAML_CPP_LIBRARY}>)
find_library(MD_LIBRARY libmd.a REQUIRED)
