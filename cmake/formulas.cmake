# SPDX-License-Identifier: BSD-3-Clause
# What formulas of a deck are compiled with: the compiler, the flags and the headers of the program that loads them.
get_target_property(own_flags cotangent_flags INTERFACE_COMPILE_OPTIONS)
get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
separate_arguments(given_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}")
set(flags -std=c++20 ${given_flags} ${own_flags} -fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A source of one problem fits into memory: its compiler needn't collect garbage.
  list(APPEND flags --param ggc-min-expand=500 --param ggc-min-heapsize=4000000)
endif()
foreach(folder IN LISTS eigen)
  list(APPEND flags -isystem ${folder})
endforeach()
list(JOIN flags " " flags_text)
set_source_files_properties(formulas/compiler.cpp PROPERTIES COMPILE_DEFINITIONS
  "COTANGENT_COMPILER=\"${CMAKE_CXX_COMPILER}\";COTANGENT_FORMULA_FLAGS=\"${flags_text}\";COTANGENT_SOURCE_HEADERS=\"${CMAKE_CURRENT_SOURCE_DIR}\";COTANGENT_BUILT_HEADERS=\"${PROJECT_BINARY_DIR}/generated\"")

# What a loaded formula calls and doesn't bring along, it finds in the program: these layers are there as a whole.
target_link_options(cotangent_formulas INTERFACE -rdynamic)
foreach(layer core numerics geometry expressions mechanics integrators sections billiards)
  get_target_property(kind cotangent_${layer} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    target_link_options(cotangent_formulas INTERFACE
      "LINKER:--whole-archive,$<TARGET_FILE:cotangent::${layer}>,--no-whole-archive")
  endif()
endforeach()

# The headers, read once: a quarter of a formula's time. GCC takes them where it would include printed.hpp, if its
# flags are these, and else the header.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(header ${PROJECT_BINARY_DIR}/generated/formulas/printed.hpp.gch)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated/formulas
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -w -I${PROJECT_BINARY_DIR}/generated -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${header}.d
            -MQ ${header} -x c++-header ${CMAKE_CURRENT_SOURCE_DIR}/formulas/printed.hpp -o ${header}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/formulas/printed.hpp DEPFILE ${header}.d VERBATIM
    COMMENT "Reading the headers of formulas")
  add_custom_target(cotangent_formula_header DEPENDS ${header})
endif()
