# LibTorch::LibTorch from TORCH (a LibTorch folder, the torch folder of a Python package, its parent, or a
# virtual environment) and nowhere else, or without TORCH from .venv. Only torch_cpu and c10 are linked:
# torch's own CMake package would demand the CUDA language.
if(TORCH)
  file(GLOB torch_folders ${TORCH}/lib/python3*/site-packages/torch)
  list(PREPEND torch_folders ${TORCH} ${TORCH}/torch)
else()
  list(TRANSFORM PYTHON_SITES APPEND /torch OUTPUT_VARIABLE torch_folders)
endif()
find_path(LibTorch_INCLUDE_DIR torch/csrc/jit/api/compilation_unit.h
          PATHS ${torch_folders} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_CPU torch_cpu PATHS ${torch_folders} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_C10 c10 PATHS ${torch_folders} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
# LibTorch_VERSION, from where 2.15 keeps it or where older ones did.
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(LibTorch_INCLUDE_DIR AND NOT LibTorch_VERSION AND EXISTS ${LibTorch_INCLUDE_DIR}/${header})
    file(STRINGS ${LibTorch_INCLUDE_DIR}/${header} lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
    list(JOIN numbers . LibTorch_VERSION)
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_CPU LibTorch_C10 LibTorch_INCLUDE_DIR
                                  VERSION_VAR LibTorch_VERSION)
if(TORCH AND NOT LibTorch_FOUND)
  set(LibTorch_IS "it has no torch_cpu, no c10 or no headers")
  if(LibTorch_VERSION)
    set(LibTorch_IS "that is ${LibTorch_VERSION}")
  endif()
  message(FATAL_ERROR "TORCH=${TORCH}: no LibTorch ${LibTorch_FIND_VERSION} or newer there: ${LibTorch_IS}")
endif()
if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  get_filename_component(LibTorch_LIB_DIR ${LibTorch_CPU} DIRECTORY)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE ${LibTorch_INCLUDE_DIR}
                             ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::LibTorch INTERFACE ${LibTorch_CPU} ${LibTorch_C10})
  target_link_options(LibTorch::LibTorch INTERFACE -Wl,--allow-shlib-undefined)
endif()
