# SPDX-License-Identifier: BSD-3-Clause
# One installation for processors of several kinds: the program once for each level of x86-64 in COTANGENT_LEVELS, in
# libexec/cotangent, and bin/cotangent, which starts the highest that the processor has (apps/launcher.cpp). The lowest
# level is this build; each of the others is a build of its own below levels/, of the same source with the same options.
include(ExternalProject)
set(cotangent_level_folder ${PROJECT_BINARY_DIR}/libexec/cotangent)
list(GET COTANGENT_LEVELS 0 lowest)

function(cotangent_levels lowest_program)
  set_target_properties(${lowest_program} PROPERTIES OUTPUT_NAME cotangent-${lowest}
                        RUNTIME_OUTPUT_DIRECTORY ${cotangent_level_folder})
  add_executable(cotangent_program launcher.cpp)
  set_target_properties(cotangent_program PROPERTIES OUTPUT_NAME cotangent)
  target_link_libraries(cotangent_program PRIVATE cotangent_warnings)
  target_compile_features(cotangent_program PRIVATE cxx_std_20)
  add_dependencies(cotangent_program ${lowest_program})
  set(before ${lowest_program})
  foreach(level IN LISTS COTANGENT_LEVELS)
    if(level STREQUAL lowest)
      continue()
    endif()
    set(options -DCOTANGENT_NATIVE=OFF -DCOTANGENT_PROCESSOR=${level} -DBUILD_TESTING=OFF)
    foreach(option CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS COTANGENT_INTERPRETED
                   COTANGENT_MODELS COTANGENT_WERROR COTANGENT_LATE_PETSC CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE
                   CMAKE_EXE_LINKER_FLAGS)
      if(DEFINED ${option})
        string(REPLACE ";" "|" value "${${option}}")
        list(APPEND options "-D${option}=${value}")
      endif()
    endforeach()
    # One after the other, each with all processors.
    ExternalProject_Add(cotangent_${level}
      SOURCE_DIR ${PROJECT_SOURCE_DIR} BINARY_DIR ${PROJECT_BINARY_DIR}/levels/${level} PREFIX ${PROJECT_BINARY_DIR}/levels
      CMAKE_GENERATOR ${CMAKE_GENERATOR} CMAKE_CACHE_ARGS "" CMAKE_ARGS ${options} LIST_SEPARATOR |
      BUILD_COMMAND ${CMAKE_COMMAND} --build . --target cotangent_program
      INSTALL_COMMAND ${CMAKE_COMMAND} -E copy bin/cotangent ${cotangent_level_folder}/cotangent-${level}
      BUILD_ALWAYS ON USES_TERMINAL_BUILD ON DEPENDS ${before})
    add_dependencies(cotangent_program cotangent_${level})
    set(before cotangent_${level})
  endforeach()
  install(DIRECTORY ${cotangent_level_folder}/ DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cotangent USE_SOURCE_PERMISSIONS)
endfunction()
