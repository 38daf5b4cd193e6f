# Kernel libraries from ExecuTorch's kernel yaml: find_package(kbench) brings this. docs/kernels.md
#
#   kbench_add_kernel_library(<name> YAML <file>... SOURCES <file>...
#                             [TRACES <file>...] [OPS <name>...] [DEFINITIONS <name>...] [SELECTION <file>...]
#                             [FALLBACK <file>] [ROOT <folder>] [AS executorch|torch|tvm-ffi] [DTYPE_SELECTIVE]
#                             [MANUAL] [EXCEPTION_BOUNDARY] [SHARED])
#
# Selects the kernels that the traces, operators, definitions and selections need (without any of
# these: all), writes the code that calls and registers them, and adds a library of that and the
# sources. Whoever links it gets all of its objects, so that no kernel is lost for want of a caller.
# FALLBACK is a kernel yaml whose kernels serve what the one of YAML has none for.
# AS torch links the target torch, that of find_package(Torch).
# ROOT is the trace set that has the Definitions, by default the source folder.
# MANUAL: nothing is registered before register_<name as an identifier>_kernels() is called.
include_guard()

set(KBENCH_PROGRAM "" CACHE FILEPATH "kbench, where it is not in the prefix of its package")

function(_kbench_program out)
  if(KBENCH_PROGRAM)
    set(${out} ${KBENCH_PROGRAM} PARENT_SCOPE)
  else()
    find_program(KBENCH_EXECUTABLE kbench HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin REQUIRED)
    set(${out} ${KBENCH_EXECUTABLE} PARENT_SCOPE)
  endif()
endfunction()

# Absolute paths of files in the source folder.
function(_kbench_absolute out)
  set(all)
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND all ${path})
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# What is made from kernel yaml ("" or more files) and Definitions of ${root} ("" for none) is made
# again when one of these or of the sidecars changes, comes or goes: the list is in a file, since a
# file that is gone is newer than nothing.
function(_kbench_inputs out folder yaml root)
  set(patterns)
  foreach(file ${yaml})
    get_filename_component(beside ${file} DIRECTORY)
    get_filename_component(stem ${file} NAME_WLE)
    foreach(sidecar ${stem}.kbench kbench)
      list(APPEND patterns ${beside}/${sidecar}.json ${beside}/${sidecar}.yaml)
    endforeach()
  endforeach()
  set(all)
  if(patterns)
    file(GLOB all CONFIGURE_DEPENDS ${patterns})
  endif()
  if(root)
    file(GLOB_RECURSE definitions CONFIGURE_DEPENDS ${root}/definitions/*.json)
    list(APPEND all ${definitions})
  endif()
  string(JOIN "\n" text ${all})
  file(CONFIGURE OUTPUT ${folder}/inputs.txt CONTENT "${text}\n" @ONLY)
  set(${out} ${yaml} ${all} ${folder}/inputs.txt PARENT_SCOPE)
endfunction()

# The registry that generated code registers kernels in, once for all libraries of a build. It is
# compiled from the copy that came with the first of them, after what makes that (the rest of the
# arguments), and linked where something calls it.
function(_kbench_link_runtime name folder)
  if(NOT TARGET kbench_kernel_runtime)
    add_library(kbench_kernel_runtime STATIC ${folder}/kbench_registry.cpp ${ARGN})
    target_include_directories(kbench_kernel_runtime PRIVATE ${folder})
    target_compile_features(kbench_kernel_runtime PUBLIC cxx_std_17)
    set_target_properties(kbench_kernel_runtime PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_link_libraries(${name} PUBLIC kbench_kernel_runtime)
endfunction()

# A library of generated code and other sources: all of its objects go to whoever links it. Where
# several are linked, "<name>/Functions.h" tells their headers apart.
function(_kbench_add_library name folder is_shared standard)
  set(kind OBJECT)
  if(is_shared)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${ARGN})
  target_include_directories(${name} PUBLIC ${folder} ${CMAKE_CURRENT_BINARY_DIR})
  target_compile_features(${name} PUBLIC ${standard})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# In how many letters two words differ that are as long, or how many one must be given or lose.
function(_kbench_distance out a b)
  string(LENGTH ${a} rows)
  string(LENGTH ${b} columns)
  foreach(j RANGE ${columns})
    set(above_${j} ${j})
  endforeach()
  foreach(i RANGE 1 ${rows})
    set(here_0 ${i})
    math(EXPR before "${i} - 1")
    string(SUBSTRING ${a} ${before} 1 letter)
    foreach(j RANGE 1 ${columns})
      math(EXPR left "${j} - 1")
      string(SUBSTRING ${b} ${left} 1 other)
      math(EXPR least "${above_${left}} + 1")
      if(letter STREQUAL other)
        set(least ${above_${left}})
      endif()
      foreach(near ${here_${left}} ${above_${j}})
        if(near LESS least)
          math(EXPR least "${near} + 1")
        endif()
      endforeach()
      set(here_${j} ${least})
    endforeach()
    foreach(j RANGE ${columns})
      set(above_${j} ${here_${j}})
    endforeach()
  endforeach()
  set(${out} ${above_${columns}} PARENT_SCOPE)
endfunction()

# CMake takes a keyword that it does not know for one more value of the keyword before. ${call} is what
# the message begins with.
function(_kbench_check_keywords call keywords)
  foreach(word ${ARGN})
    if(NOT word MATCHES "^[A-Z_][A-Z_]+$" OR word IN_LIST keywords OR EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${word})
      continue()
    endif()
    foreach(keyword ${keywords})
      _kbench_distance(distance ${word} ${keyword})
      if(distance LESS 3 AND NOT (distance EQUAL 2 AND keyword MATCHES "^..?.?.?$"))
        message(FATAL_ERROR "${call}: ${word} is no keyword; did you mean ${keyword}?")
      endif()
    endforeach()
  endforeach()
endfunction()

# What is made when the program is built needs not be there yet. ${call} is what the message begins with.
function(_kbench_check_files call keyword)
  foreach(file ${ARGN})
    if(file MATCHES "\\$<")
      continue()
    endif()
    _kbench_absolute(path ${file})
    get_source_file_property(is_made ${path} GENERATED)
    if(NOT is_made AND NOT EXISTS ${path})
      message(FATAL_ERROR "${call}: ${keyword} ${file}: there is no such file")
    endif()
  endforeach()
endfunction()

# Writes ${folder}/selected_operators.yaml when ${inputs} or what else it is made from changes.
function(_kbench_select folder yaml root inputs)
  cmake_parse_arguments(arg "" "" "TRACES;OPS;DEFINITIONS;SELECTION" ${ARGN})
  _kbench_absolute(traces ${arg_TRACES})
  _kbench_absolute(selections ${arg_SELECTION})
  set(words)
  foreach(trace ${traces})
    list(APPEND words --trace ${trace})
  endforeach()
  foreach(op ${arg_OPS})
    list(APPEND words --ops ${op})
  endforeach()
  foreach(definition ${arg_DEFINITIONS})
    list(APPEND words --definition ${definition})
  endforeach()
  foreach(selection ${selections})
    list(APPEND words --selection ${selection})
  endforeach()
  if(NOT words)
    set(words --all)
  endif()
  _kbench_program(kbench)
  add_custom_command(
    OUTPUT ${folder}/selected_operators.yaml
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${kbench} --quiet kernels select ${yaml} --root ${root} ${words} -o ${folder}/selected_operators.yaml
    DEPENDS ${inputs} ${traces} ${selections}
    VERBATIM)
endfunction()

# What code can be made for, and which options each of them has beside those of all.
function(_kbench_check_target name target)
  set(options_of_executorch MANUAL DTYPE_SELECTIVE EXCEPTION_BOUNDARY)
  set(options_of_torch)
  set(options_of_tvm-ffi)
  set(targets executorch torch tvm-ffi)
  if(NOT target IN_LIST targets)
    list(JOIN targets ", " known)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): AS ${target}: it is one of ${known}")
  endif()
  foreach(option ${ARGN})
    if(NOT option IN_LIST options_of_${target})
      message(FATAL_ERROR "kbench_add_kernel_library(${name}): ${option} means nothing with AS ${target}")
    endif()
  endforeach()
endfunction()

function(kbench_add_kernel_library name)
  set(flags DTYPE_SELECTIVE MANUAL EXCEPTION_BOUNDARY SHARED)
  set(single ROOT AS FALLBACK)
  set(several YAML SOURCES TRACES OPS DEFINITIONS SELECTION)
  _kbench_check_keywords("kbench_add_kernel_library(${name})" "${flags};${single};${several}" ${ARGN})
  cmake_parse_arguments(arg "${flags}" "${single}" "${several}" ${ARGN})
  if(NOT arg_YAML)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): YAML names no kernel yaml")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  foreach(keyword YAML SOURCES TRACES SELECTION FALLBACK ROOT)
    _kbench_check_files("kbench_add_kernel_library(${name})" ${keyword} ${arg_${keyword}})
  endforeach()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): SOURCES names no source of the kernels "
                        "(of a target that has them: SOURCES $<TARGET_OBJECTS:target>)")
  endif()
  if(NOT arg_AS)
    set(arg_AS executorch)
  endif()
  set(flags)
  foreach(flag MANUAL DTYPE_SELECTIVE EXCEPTION_BOUNDARY)
    if(arg_${flag})
      list(APPEND flags ${flag})
    endif()
  endforeach()
  _kbench_check_target(${name} ${arg_AS} ${flags})
  if(arg_AS STREQUAL "torch" AND NOT TARGET torch)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): AS torch: there is no target torch, with PyTorch's "
                        "headers and libraries: find_package(Torch REQUIRED) goes before")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  _kbench_absolute(yaml ${arg_YAML})
  if(NOT arg_ROOT)
    set(arg_ROOT ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  _kbench_absolute(root ${arg_ROOT})
  _kbench_absolute(fallback ${arg_FALLBACK})
  _kbench_inputs(inputs ${folder} "${yaml};${fallback}" ${root})
  _kbench_program(kbench)
  if(arg_FALLBACK)
    list(LENGTH yaml count)
    if(count GREATER 1)
      message(FATAL_ERROR "kbench_add_kernel_library(${name}): FALLBACK stands behind one YAML, not ${count}")
    endif()
    # Its sidecar is written beside it.
    add_custom_command(
      OUTPUT ${folder}/merged.yaml
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${kbench} --quiet kernels merge ${yaml} --fallback ${fallback} --by kernel -o ${folder}/merged.yaml
      DEPENDS ${inputs}
      VERBATIM)
    set(yaml ${folder}/merged.yaml)
    list(APPEND inputs ${yaml})
  endif()
  _kbench_select(${folder} "${yaml}" ${root} "${inputs}" TRACES ${arg_TRACES} OPS ${arg_OPS}
                 DEFINITIONS ${arg_DEFINITIONS} SELECTION ${arg_SELECTION})
  set(words --as ${arg_AS} --select ${folder}/selected_operators.yaml -d ${folder})
  string(MAKE_C_IDENTIFIER ${name} identifier)
  if(arg_MANUAL)
    # Both would define register_${identifier}_kernels(), and the linker would take one of them.
    get_property(other GLOBAL PROPERTY KBENCH_MANUAL_${identifier})
    if(other AND NOT other STREQUAL name)
      message(FATAL_ERROR "kbench_add_kernel_library(${name}): MANUAL: its function register_${identifier}_kernels() "
                          "is that of ${other}, too; give one of them another name")
    endif()
    set_property(GLOBAL PROPERTY KBENCH_MANUAL_${identifier} ${name})
  endif()
  if(arg_MANUAL OR arg_AS STREQUAL "torch")
    list(APPEND words --lib-name ${identifier})
  endif()
  if(arg_MANUAL)
    list(APPEND words --registration manual)
  endif()
  if(arg_DTYPE_SELECTIVE)
    list(APPEND words --dtype-header)
  endif()
  if(arg_EXCEPTION_BOUNDARY)
    list(APPEND words --exception-boundary)
  endif()
  set(runtime)
  set(standard cxx_std_17)
  if(arg_AS STREQUAL "torch")
    set(standard cxx_std_20)
    set(generated ${folder}/RegisterSchema.cpp ${folder}/RegisterCPU.cpp ${folder}/RegisterMeta.cpp)
  elseif(arg_AS STREQUAL "tvm-ffi")
    set(generated ${folder}/RegisterTvmFfi.cpp)
  elseif(arg_MANUAL)
    set(generated ${folder}/RegisterKernelsEverything.cpp)
    set(runtime ${folder}/kbench_registry.cpp)
  else()
    set(generated ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp)
    set(runtime ${folder}/kbench_registry.cpp)
  endif()
  # Files that need no change keep their time; a stamp says when they were last looked at.
  add_custom_command(
    OUTPUT ${folder}/generated.stamp
    BYPRODUCTS ${generated} ${runtime} ${folder}/Functions.h
    COMMAND ${kbench} --quiet kernels codegen ${yaml} --root ${root} ${words} --depfile ${folder}/generated.d
            --depfile-target ${folder}/generated.stamp
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/generated.stamp
    DEPENDS ${inputs} ${folder}/selected_operators.yaml
    DEPFILE ${folder}/generated.d
    VERBATIM)
  _kbench_add_library(${name} ${folder} ${arg_SHARED} ${standard} ${generated} ${folder}/generated.stamp ${arg_SOURCES})
  if(arg_AS STREQUAL "torch")
    target_link_libraries(${name} PUBLIC torch)
  endif()
  if(runtime)
    _kbench_link_runtime(${name} ${folder} ${folder}/generated.stamp)
  endif()
endfunction()

# ---- ExecuTorch's names for the parts of that ----
#
# Each takes the keywords of ExecuTorch's tools/cmake/Codegen.cmake, or the values alone, in the order of its
# documentation ("Kernel Registration"): without a LIB_NAME all is written to the binary folder of the directory.

# gen_selected_ops(LIB_NAME n [OPS_SCHEMA_YAML f] [ROOT_OPS s] [INCLUDE_ALL_OPS b] [OPS_FROM_MODEL f]
#                  [DTYPE_SELECTIVE_BUILD b])
# gen_selected_ops(f s b): writes selected_operators.yaml. ROOT_OPS has commas or semicolons between operators.
function(gen_selected_ops)
  set(keywords LIB_NAME OPS_SCHEMA_YAML ROOT_OPS INCLUDE_ALL_OPS OPS_FROM_MODEL DTYPE_SELECTIVE_BUILD)
  _kbench_check_keywords(gen_selected_ops "${keywords}" ${ARGN})
  if(ARGC GREATER 0 AND ARGV0 IN_LIST keywords)
    cmake_parse_arguments(arg "" "LIB_NAME;OPS_SCHEMA_YAML;INCLUDE_ALL_OPS;OPS_FROM_MODEL;DTYPE_SELECTIVE_BUILD"
                          "ROOT_OPS" ${ARGN})
  else()
    set(arg_OPS_SCHEMA_YAML "${ARGV0}")
    set(arg_ROOT_OPS "${ARGV1}")
    set(arg_INCLUDE_ALL_OPS "${ARGV2}")
  endif()
  foreach(keyword OPS_SCHEMA_YAML OPS_FROM_MODEL)
    _kbench_check_files(gen_selected_ops ${keyword} ${arg_${keyword}})
  endforeach()
  set(words)
  if(arg_OPS_SCHEMA_YAML)
    _kbench_absolute(yaml ${arg_OPS_SCHEMA_YAML})
    list(APPEND words --ops-yaml ${yaml})
  endif()
  foreach(operators ${arg_ROOT_OPS})
    list(APPEND words --ops ${operators})
  endforeach()
  set(model)
  if(arg_OPS_FROM_MODEL)
    _kbench_absolute(model ${arg_OPS_FROM_MODEL})
    list(APPEND words --model ${model})
  endif()
  if(arg_INCLUDE_ALL_OPS)
    list(APPEND words --all)
  endif()
  if(NOT words)
    message(FATAL_ERROR "gen_selected_ops: nothing is selected: name OPS_SCHEMA_YAML, ROOT_OPS, OPS_FROM_MODEL or INCLUDE_ALL_OPS")
  endif()
  _kbench_folder_of(folder "${arg_LIB_NAME}")
  get_property(is_made GLOBAL PROPERTY KBENCH_SELECTED_${folder} SET)
  if(is_made)
    message(FATAL_ERROR "gen_selected_ops: a second selection for one library; LIB_NAME tells two libraries apart")
  endif()
  set_property(GLOBAL PROPERTY KBENCH_SELECTED_${folder} TRUE)
  _kbench_inputs(inputs ${folder} "${yaml}" "")
  _kbench_program(kbench)
  add_custom_command(
    OUTPUT ${folder}/selected_operators.yaml
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${kbench} --quiet kernels select ${yaml} ${words} -o ${folder}/selected_operators.yaml
    DEPENDS ${inputs} ${model}
    VERBATIM)
  set_property(GLOBAL PROPERTY KBENCH_DTYPE_SELECTIVE_${arg_LIB_NAME} "${arg_DTYPE_SELECTIVE_BUILD}")
endfunction()

# Where a library's files are made.
function(_kbench_folder_of out library)
  set(${out} ${CMAKE_CURRENT_BINARY_DIR} PARENT_SCOPE)
  if(library)
    set(${out} ${CMAKE_CURRENT_BINARY_DIR}/${library} PARENT_SCOPE)
  endif()
endfunction()

# generate_bindings_for_kernels(LIB_NAME n [FUNCTIONS_YAML f] [CUSTOM_OPS_YAML f] [ADD_EXCEPTION_BOUNDARY])
# generate_bindings_for_kernels(f f): writes the code for what selected_operators.yaml names.
function(generate_bindings_for_kernels)
  set(keywords LIB_NAME FUNCTIONS_YAML CUSTOM_OPS_YAML DTYPE_SELECTIVE_BUILD ADD_EXCEPTION_BOUNDARY)
  _kbench_check_keywords(generate_bindings_for_kernels "${keywords}" ${ARGN})
  if(ARGC GREATER 0 AND ARGV0 IN_LIST keywords)
    cmake_parse_arguments(arg "ADD_EXCEPTION_BOUNDARY" "LIB_NAME;FUNCTIONS_YAML;CUSTOM_OPS_YAML;DTYPE_SELECTIVE_BUILD"
                          "" ${ARGN})
  else()
    set(arg_FUNCTIONS_YAML "${ARGV0}")
    set(arg_CUSTOM_OPS_YAML "${ARGV1}")
  endif()
  foreach(keyword FUNCTIONS_YAML CUSTOM_OPS_YAML)
    _kbench_check_files(generate_bindings_for_kernels ${keyword} ${arg_${keyword}})
  endforeach()
  _kbench_absolute(yaml ${arg_FUNCTIONS_YAML} ${arg_CUSTOM_OPS_YAML})
  if(NOT yaml)
    message(FATAL_ERROR "generate_bindings_for_kernels: FUNCTIONS_YAML and CUSTOM_OPS_YAML name no kernel yaml")
  endif()
  _kbench_folder_of(folder "${arg_LIB_NAME}")
  get_property(is_made GLOBAL PROPERTY KBENCH_SELECTED_${folder} SET)
  if(NOT is_made)
    message(FATAL_ERROR "generate_bindings_for_kernels: gen_selected_ops(LIB_NAME ${arg_LIB_NAME} ...) goes before it")
  endif()
  set(words --select ${folder}/selected_operators.yaml -d ${folder})
  if(arg_ADD_EXCEPTION_BOUNDARY)
    list(APPEND words --exception-boundary)
  endif()
  if(arg_DTYPE_SELECTIVE_BUILD)
    list(APPEND words --dtype-header)
  endif()
  _kbench_inputs(inputs ${folder} "${yaml}" "")
  _kbench_program(kbench)
  add_custom_command(
    OUTPUT ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp ${folder}/kbench_registry.cpp
    COMMAND ${kbench} --quiet kernels codegen ${yaml} ${words}
    DEPENDS ${inputs} ${folder}/selected_operators.yaml
    VERBATIM)
endfunction()

# gen_operators_lib([SHARED] LIB_NAME n KERNEL_LIBS … [DEPS …])
# gen_operators_lib(n kernel_lib deps…): a library of that and the kernels. Its registry takes the place of
# ExecuTorch's: executorch and executorch_core need not be targets.
function(gen_operators_lib)
  set(keywords SHARED LIB_NAME DTYPE_SELECTIVE_BUILD KERNEL_LIBS DEPS)
  _kbench_check_keywords(gen_operators_lib "${keywords}" ${ARGN})
  if(ARGC GREATER 0 AND ARGV0 IN_LIST keywords)
    cmake_parse_arguments(arg "SHARED" "LIB_NAME;DTYPE_SELECTIVE_BUILD" "KERNEL_LIBS;DEPS" ${ARGN})
    _kbench_folder_of(folder "${arg_LIB_NAME}")
  else()
    set(arg_SHARED OFF)
    set(arg_LIB_NAME "${ARGV0}")
    set(arg_KERNEL_LIBS "${ARGV1}")
    set(arg_DEPS ${ARGN})
    list(REMOVE_ITEM arg_DEPS "" ${arg_LIB_NAME} ${arg_KERNEL_LIBS})
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  foreach(library executorch executorch_core)
    if(NOT TARGET ${library})
      list(REMOVE_ITEM arg_DEPS ${library})
    endif()
  endforeach()
  _kbench_add_library(${arg_LIB_NAME} ${folder} ${arg_SHARED} cxx_std_17
                      ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp)
  _kbench_link_runtime(${arg_LIB_NAME} ${folder})
  target_link_libraries(${arg_LIB_NAME} PUBLIC ${arg_KERNEL_LIBS} ${arg_DEPS})
  foreach(library ${arg_KERNEL_LIBS})
    target_include_directories(${library} PRIVATE ${folder})
    add_dependencies(${library} ${arg_LIB_NAME}_generated)
  endforeach()
  add_custom_target(${arg_LIB_NAME}_generated
                    DEPENDS ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp)
endfunction()
