# SPDX-License-Identifier: BSD-3-Clause
# A layer is a folder of src/, a namespace and a target. Its sources are all .cpp files of the folder, so a
# new model or method is one file. The arrows below are the only place where a dependency is written down;
# cmake/check_layers.py holds the includes to them.
function(cotangent_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(target cotangent_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cotangent_warnings>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(cotangent::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/cotangent>)
  target_link_libraries(${target} ${scope} cotangent_flags ${LAYER_LINKS})
  foreach(used IN LISTS LAYER_USES)
    target_link_libraries(${target} ${scope} cotangent_${used})
  endforeach()

  # For the package: which layers there are, and which of them need MPI, themselves or through another.
  set_property(GLOBAL APPEND PROPERTY COTANGENT_LAYERS ${name})
  get_property(distributed GLOBAL PROPERTY COTANGENT_DISTRIBUTED_LAYERS)
  foreach(below IN LISTS LAYER_USES LAYER_LINKS)
    if(below IN_LIST distributed OR below STREQUAL "MPI::MPI_CXX")
      set_property(GLOBAL APPEND PROPERTY COTANGENT_DISTRIBUTED_LAYERS ${name})
      break()
    endif()
  endforeach()
endfunction()

# What nearly all sources of a layer include is read once: a sixth to a third of their time.
function(cotangent_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # bug 105651: string + "literal", where <string> is precompiled
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
