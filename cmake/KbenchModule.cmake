# kbench_module(<folder> [WITHOUT <folder>...] [SEES <module>...] [LINKS <library>...])
# One static library, kbench_<name>, of a folder that has the module's name, but for those in it that are modules
# themselves. SEES is the module graph: a module may include the headers of what it sees, directly or through another
# module, and of nothing else (tests/layering checks it).
function(kbench_module folder)
  cmake_parse_arguments(arg "" "" "WITHOUT;SEES;LINKS" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  foreach(other runtime ${arg_WITHOUT})  # a runtime is a library of candidates
    list(FILTER sources EXCLUDE REGEX "/${folder}/${other}/")
    list(FILTER headers EXCLUDE REGEX "/${folder}/${other}/")
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)  # headers only
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.cpp CONTENT "")
    set(sources ${CMAKE_BINARY_DIR}/empty.cpp)
  endif()
  add_library(kbench_${name} STATIC ${sources})
  target_sources(kbench_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(kbench_${name} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${name})
  list(TRANSFORM arg_SEES PREPEND kbench_ OUTPUT_VARIABLE seen)
  target_link_libraries(kbench_${name} PUBLIC ${seen} PRIVATE ${arg_LINKS})
  # A header that a source of its name includes before all else (tests/layering) is compiled by itself there, in builds
  # without unity units and by clang-tidy; the others here.
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "[.]cpp$" ".hpp" header ${source})
    list(REMOVE_ITEM headers ${header})
  endforeach()
  if(headers)
    add_library(kbench_${name}_headers INTERFACE)
    target_link_libraries(kbench_${name}_headers INTERFACE kbench_${name})
    target_sources(kbench_${name}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
    set_target_properties(kbench_${name}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
  list(JOIN arg_SEES " " sees)
  set_property(GLOBAL APPEND PROPERTY KBENCH_MODULES "${folder}: ${sees}")
endfunction()

# kbench_rooms(<folder> "<room>: <room>..."...): the folders of a module's folder, one library with it, and which of
# each other's headers they may include. Files in no room may include all of them.
function(kbench_rooms folder)
  foreach(line IN LISTS ARGN)
    string(REGEX REPLACE "([a-z_]+)" "${folder}/\\1" line "${line}")
    set_property(GLOBAL APPEND PROPERTY KBENCH_ROOMS "  ${line}")
  endforeach()
endfunction()

# kbench_embed(<folder> <header> {<function> <file>...}...): functions of src/<folder>/<header>.hpp, each of which
# returns the text of its files, one after the other.
function(kbench_embed name header)
  set(source "#include \"${name}/${header}.hpp\"\n\nnamespace kbench {\n")
  set(end "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "[.]")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/${word})
      file(READ ${name}/${word} text)
      string(APPEND source "R\"kbench(${text})kbench\"\n")
    else()
      string(APPEND source "${end}std::string_view ${word}() {\n  return\n")
      set(end "      ;\n}\n")
    endif()
  endforeach()
  set(built ${CMAKE_BINARY_DIR}/${header}.cpp)
  file(WRITE ${built}.new "${source}${end}}  // namespace kbench\n")
  file(COPY_FILE ${built}.new ${built} ONLY_IF_DIFFERENT)
  target_sources(kbench_${name} PRIVATE ${built})
endfunction()

# kbench_write_graph(<file>): one line a module, "folder: what it sees", an indented one each room, for tests/layering.
function(kbench_write_graph file)
  get_property(modules GLOBAL PROPERTY KBENCH_MODULES)
  get_property(rooms GLOBAL PROPERTY KBENCH_ROOMS)
  list(APPEND modules ${rooms})
  list(JOIN modules "\n" graph)
  file(CONFIGURE OUTPUT ${file} CONTENT "${graph}\n" @ONLY)
endfunction()

# kbench_program(<program> <folder>): the executable whose main.cpp lies in src/<folder>. The target
# "programs" builds all of them and no test.
add_custom_target(programs)
function(kbench_program program folder)
  get_filename_component(name ${folder} NAME)
  file(GLOB main CONFIGURE_DEPENDS ${folder}/main.cpp)
  if(NOT main)
    message(WARNING "${program} has no main.cpp yet")
    return()
  endif()
  add_executable(${program} ${folder}/main.cpp)
  target_link_libraries(${program} PRIVATE kbench_${name})
  add_dependencies(programs ${program})
endfunction()
