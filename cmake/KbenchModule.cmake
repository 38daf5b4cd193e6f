# kbench_module(<folder> [SEES <module>...] [LINKS <library>...])
# One static library per folder of src/. SEES is the module graph: a module may include the headers
# of what it sees, directly or through another module, and of nothing else (tests/layering checks it).
function(kbench_module name)
  cmake_parse_arguments(arg "" "" "SEES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${name}/*.hpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(kbench_${name} STATIC ${sources})
  target_sources(kbench_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(kbench_${name} PROPERTIES LINKER_LANGUAGE CXX
                        VERIFY_INTERFACE_HEADER_SETS ON)
  list(TRANSFORM arg_SEES PREPEND kbench_ OUTPUT_VARIABLE seen)
  target_link_libraries(kbench_${name} PUBLIC ${seen} PRIVATE ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY KBENCH_MODULES "${name}:${arg_SEES}")
endfunction()

# kbench_program(<program> <folder>): the executable whose main.cpp lies in src/<folder>.
function(kbench_program program folder)
  add_executable(${program} ${folder}/main.cpp)
  target_link_libraries(${program} PRIVATE kbench_${folder})
endfunction()
