# SPDX-License-Identifier: BSD-3-Clause
# The git commit that a result was made with, compiled in. Included, it makes a target that looks at every build;
# run as a script (cmake -P) it writes the header, and only where the commit has changed.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(commit "unknown")
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=40 --exclude=*
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
                    RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      set(commit ${described})
    endif()
  endif()
  file(CONFIGURE OUTPUT ${HEADER} CONTENT
"#pragma once
namespace cotangent {
inline constexpr const char* git_commit = \"@commit@\";
}
" @ONLY)
  return()
endif()

set(header ${PROJECT_BINARY_DIR}/generated/core/git_commit.hpp)
add_custom_target(cotangent_git_commit BYPRODUCTS ${header}
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${header}
                          -P ${CMAKE_CURRENT_LIST_FILE}
                  COMMENT "Looking at the git commit")
add_dependencies(cotangent_io cotangent_git_commit)
add_dependencies(cotangent_formulas cotangent_git_commit)

# What compiled us, as the provenance of a result tells it.
get_target_property(own_options cotangent_flags INTERFACE_COMPILE_OPTIONS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(JOIN " " compile_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${own_options})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/io/build.hpp CONTENT
"#pragma once
namespace cotangent {
inline constexpr const char* compiler = \"@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@\";
inline constexpr const char* compile_flags = \"@compile_flags@\";
}
" @ONLY)
