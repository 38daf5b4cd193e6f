# What `cmake --install` puts where (src/base/installation.hpp knows the first three), and the .deb made of it.
# Paths below the prefix are fixed, so that the whole may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(LibTorch 2.11 QUIET)

# The programs. LibTorch is not among it: kbench finds one when it runs (src/base/python.hpp). In a wheel they are its
# scripts, which pip puts into the environment's bin as they are, and all else is its data: the environment is the prefix.
set(programs_folder bin)
if(SKBUILD)
  set(programs_folder ${SKBUILD_SCRIPTS_DIR})
endif()
foreach(program kbench kbench-worker kbench-worker-google-benchmark kbench-torch kbench-worker-cuda)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${programs_folder})
  endif()
endforeach()
get_property(emulation GLOBAL PROPERTY KBENCH_EMULATION_ARCHIVE)
if(emulation)
  install(FILES ${emulation} DESTINATION lib/kbench)
endif()
if(TARGET kbench_torch_library)
  string(REGEX MATCH "^[0-9]+[.][0-9]+" minor ${LibTorch_VERSION})
  set(torch_folder lib/kbench/torch-${minor})
  install(TARGETS kbench_torch_library LIBRARY DESTINATION ${torch_folder})
  get_property(stand_ins GLOBAL PROPERTY KBENCH_STAND_INS)
  install(TARGETS ${stand_ins} LIBRARY DESTINATION ${torch_folder}/without-cuda)
  # Further minor versions have a library each, built in a folder of its own (packaging/wheel/build).
  foreach(variant ${KBENCH_VARIANTS})
    install(DIRECTORY ${variant} DESTINATION lib/kbench USE_SOURCE_PERMISSIONS)
  endforeach()
  install(FILES src/reference/python/kbench_host.py src/reference/python/kbench_glue.py DESTINATION lib/kbench/python)
  install(DIRECTORY src/emulate/kbench_triton DESTINATION lib/kbench/python FILES_MATCHING PATTERN "*.py")
endif()
install(DIRECTORY python/kbench/importers DESTINATION lib/kbench/python FILES_MATCHING PATTERN "*.py")
install(PROGRAMS tools/ci_gate DESTINATION share/kbench)
install(DIRECTORY include/kbench/ DESTINATION share/kbench/include)
install(FILES packaging/buck2/kbench.bzl DESTINATION share/kbench/buck2)
install(DIRECTORY definitions workloads solutions blob src/cli/scaffold/templates DESTINATION share/kbench)
# For whoever makes a virtual environment with LibTorch.
install(FILES requirements.txt requirements-torch.txt requirements-python.txt requirements-cuda.txt
        DESTINATION share/kbench)

# The record reader, for find_package(kbench). It is made of Debian's libraries.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kbench)
if(NOT KBENCH_STATIC)
  install(TARGETS kbench_base kbench_syntax kbench_schema EXPORT kbench
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} FILE_SET HEADERS DESTINATION include/kbench)
  install(EXPORT kbench NAMESPACE kbench:: FILE kbench-targets.cmake DESTINATION ${package_folder})
endif()
write_basic_package_version_file(kbench-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/kbench-config.cmake cmake/KbenchKernels.cmake ${CMAKE_BINARY_DIR}/kbench-config-version.cmake
        DESTINATION ${package_folder})

# What a shell completes, as the built kbench writes it.
set(completions ${CMAKE_BINARY_DIR}/completions)
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${completions}/${shell} DEPENDS kbench
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
                     COMMAND kbench completion ${shell} >${completions}/${shell})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions}/bash ${completions}/zsh ${completions}/fish)
add_dependencies(programs completions)
install(FILES ${completions}/bash DESTINATION share/bash-completion/completions RENAME kbench)
install(FILES ${completions}/fish DESTINATION share/fish/vendor_completions.d RENAME kbench.fish)
# Debian's zsh reads the usual folder below /usr/local alone.
install(CODE [[
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES "/usr$")
    set(zsh_folder vendor-completions)
  endif()]])
install(FILES ${completions}/zsh DESTINATION share/zsh/\${zsh_folder} RENAME _kbench)

# Pages and licences; those, too, of what is compiled into the programs.
install(FILES README.md CONTRIBUTING.md CHANGELOG.md THIRD_PARTY.md LICENSE packaging/copyright DESTINATION share/doc/kbench)
install(DIRECTORY docs DESTINATION share/doc/kbench)
set(compiled_in nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev)
if(KBENCH_STATIC)
  list(APPEND compiled_in libyaml-cpp-dev libmd-dev libsodium-dev libutf8proc-dev)
endif()
foreach(package ${compiled_in})
  install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/kbench/third-party RENAME ${package}
          OPTIONAL)
endforeach()
file(GLOB torch_licence ${LibTorch_LIB_DIR}/../../torch-*.dist-info/licenses/LICENSE)
install(FILES ${torch_licence} DESTINATION share/doc/kbench/third-party RENAME torch OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "kbench's maintainers <maintainers@kbench.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "judge and benchmark of compute kernels")
set(CPACK_PACKAGE_DESCRIPTION "kbench compares solutions (kernels in C++ or PyTorch) with the reference of a
definition, times what is correct, and writes traces that FlashInfer-Bench reads.
References need LibTorch, which is not in this package: share/doc/kbench/docs/install.md.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-venv, libfmt-dev, libmd-dev, libsodium-dev, libutf8proc-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# dpkg-shlibdeps must find the libraries of LibTorch, too, and would read them for a minute: empty ones do.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib/without-torch)
foreach(name libtorch_cpu libc10)
  add_library(without_${name} MODULE src/reference/python/stand_in.cpp)
  set_target_properties(without_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/without-torch)
  target_link_options(without_${name} PRIVATE -nostdlib -Wl,-soname,${name}.so)
  add_dependencies(programs without_${name})
endforeach()
include(CPack)
