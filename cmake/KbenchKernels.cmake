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
# FALLBACK is a kernel yaml whose kernels serve what the first has none for.
# ROOT is the trace set that has the Definitions, by default the source folder.
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

# Writes ${folder}/selected_operators.yaml when what it is made from changes.
function(_kbench_select folder yaml root)
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
    DEPENDS ${yaml} ${traces} ${selections}
    VERBATIM)
endfunction()

function(kbench_add_kernel_library name)
  cmake_parse_arguments(arg "DTYPE_SELECTIVE;MANUAL;EXCEPTION_BOUNDARY;SHARED" "ROOT;AS;FALLBACK"
                        "YAML;SOURCES;TRACES;OPS;DEFINITIONS;SELECTION" ${ARGN})
  if(NOT arg_YAML)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): YAML names no kernel yaml")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kbench_add_kernel_library(${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  _kbench_absolute(yaml ${arg_YAML})
  if(NOT arg_ROOT)
    set(arg_ROOT ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  _kbench_absolute(root ${arg_ROOT})
  if(arg_FALLBACK)
    _kbench_absolute(fallback ${arg_FALLBACK})
    _kbench_program(kbench)
    add_custom_command(
      OUTPUT ${folder}/merged.yaml
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${kbench} --quiet kernels merge ${yaml} --fallback ${fallback} --by kernel -o ${folder}/merged.yaml
      DEPENDS ${yaml} ${fallback}
      VERBATIM)
    set(yaml ${folder}/merged.yaml)
  endif()
  _kbench_select(${folder} "${yaml}" ${root} TRACES ${arg_TRACES} OPS ${arg_OPS}
                 DEFINITIONS ${arg_DEFINITIONS} SELECTION ${arg_SELECTION})
  set(words --select ${folder}/selected_operators.yaml --lib-name ${name} -d ${folder})
  set(registering ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp)
  if(arg_MANUAL)
    list(APPEND words --registration manual)
    set(registering ${folder}/RegisterKernelsEverything.cpp)
  endif()
  if(arg_DTYPE_SELECTIVE)
    list(APPEND words --dtype-header)
  endif()
  if(arg_EXCEPTION_BOUNDARY)
    list(APPEND words --exception-boundary)
  endif()
  set(generated ${registering} ${folder}/kbench_registry.cpp)
  if(arg_AS)
    list(APPEND words --as ${arg_AS})
  endif()
  if(arg_AS STREQUAL "torch")
    set(generated ${folder}/RegisterSchema.cpp ${folder}/RegisterCPU.cpp ${folder}/RegisterMeta.cpp)
  elseif(arg_AS STREQUAL "tvm-ffi")
    set(generated ${folder}/RegisterTvmFfi.cpp)
  endif()
  _kbench_program(kbench)
  # Files that need no change keep their time; a stamp says when they were last looked at.
  add_custom_command(
    OUTPUT ${folder}/generated.stamp
    BYPRODUCTS ${generated} ${folder}/Functions.h
    COMMAND ${kbench} --quiet kernels codegen ${yaml} --root ${root} ${words} --depfile ${folder}/generated.d
            --depfile-target ${folder}/generated.stamp
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/generated.stamp
    DEPENDS ${yaml} ${folder}/selected_operators.yaml
    DEPFILE ${folder}/generated.d
    VERBATIM)
  set(kind OBJECT)
  if(arg_SHARED)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${generated} ${folder}/generated.stamp ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${folder})
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# ---- ExecuTorch's names for the parts of that ----

# gen_selected_ops(LIB_NAME n [OPS_SCHEMA_YAML f] [ROOT_OPS s] [INCLUDE_ALL_OPS b] [DTYPE_SELECTIVE_BUILD b])
# writes n/selected_operators.yaml.
function(gen_selected_ops)
  cmake_parse_arguments(arg "" "LIB_NAME;OPS_SCHEMA_YAML;ROOT_OPS;INCLUDE_ALL_OPS;OPS_FROM_MODEL;DTYPE_SELECTIVE_BUILD"
                        "" ${ARGN})
  if(arg_OPS_FROM_MODEL)
    message(FATAL_ERROR "gen_selected_ops: kbench reads no .pte; kbench_add_kernel_library takes TRACES")
  endif()
  set(words)
  if(arg_OPS_SCHEMA_YAML)
    _kbench_absolute(yaml ${arg_OPS_SCHEMA_YAML})
    list(APPEND words --ops-yaml ${yaml})
  endif()
  if(arg_ROOT_OPS)
    list(APPEND words --ops ${arg_ROOT_OPS})
  endif()
  if(arg_INCLUDE_ALL_OPS)
    list(APPEND words --all)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_LIB_NAME})
  _kbench_program(kbench)
  add_custom_command(
    OUTPUT ${folder}/selected_operators.yaml
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${kbench} --quiet kernels select ${yaml} ${words} -o ${folder}/selected_operators.yaml
    DEPENDS ${yaml}
    VERBATIM)
  set_property(GLOBAL PROPERTY KBENCH_DTYPE_SELECTIVE_${arg_LIB_NAME} "${arg_DTYPE_SELECTIVE_BUILD}")
endfunction()

# generate_bindings_for_kernels(LIB_NAME n [FUNCTIONS_YAML f] [CUSTOM_OPS_YAML f] [ADD_EXCEPTION_BOUNDARY])
# writes the code for what n/selected_operators.yaml names.
function(generate_bindings_for_kernels)
  cmake_parse_arguments(arg "ADD_EXCEPTION_BOUNDARY" "LIB_NAME;FUNCTIONS_YAML;CUSTOM_OPS_YAML;DTYPE_SELECTIVE_BUILD"
                        "" ${ARGN})
  _kbench_absolute(yaml ${arg_FUNCTIONS_YAML} ${arg_CUSTOM_OPS_YAML})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_LIB_NAME})
  set(words --select ${folder}/selected_operators.yaml -d ${folder})
  if(arg_ADD_EXCEPTION_BOUNDARY)
    list(APPEND words --exception-boundary)
  endif()
  if(arg_DTYPE_SELECTIVE_BUILD)
    list(APPEND words --dtype-header)
  endif()
  _kbench_program(kbench)
  add_custom_command(
    OUTPUT ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp ${folder}/kbench_registry.cpp
    COMMAND ${kbench} --quiet kernels codegen ${yaml} ${words}
    DEPENDS ${yaml} ${folder}/selected_operators.yaml
    VERBATIM)
endfunction()

# gen_operators_lib([SHARED] LIB_NAME n KERNEL_LIBS … [DEPS …]): a library of that and the kernels.
function(gen_operators_lib)
  cmake_parse_arguments(arg "SHARED" "LIB_NAME;DTYPE_SELECTIVE_BUILD" "KERNEL_LIBS;DEPS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_LIB_NAME})
  set(kind OBJECT)
  if(arg_SHARED)
    set(kind SHARED)
  endif()
  add_library(${arg_LIB_NAME} ${kind} ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp
                                      ${folder}/kbench_registry.cpp)
  target_include_directories(${arg_LIB_NAME} PUBLIC ${folder})
  target_compile_features(${arg_LIB_NAME} PUBLIC cxx_std_17)
  set_target_properties(${arg_LIB_NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${arg_LIB_NAME} PUBLIC ${arg_KERNEL_LIBS} ${arg_DEPS})
  foreach(library ${arg_KERNEL_LIBS})
    target_include_directories(${library} PRIVATE ${folder})
    add_dependencies(${library} ${arg_LIB_NAME}_generated)
  endforeach()
  add_custom_target(${arg_LIB_NAME}_generated
                    DEPENDS ${folder}/RegisterCodegenUnboxedKernelsEverything.cpp)
endfunction()
