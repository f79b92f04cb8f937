# SPDX-License-Identifier: BSD-3-Clause
# The git commit that a result was made with, compiled in. Included, it makes a target that looks at every build;
# run as a script (cmake -P) it writes the header, and only where the commit has changed.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(commit "unknown")
  find_package(Git QUIET)
  if(GIT_FOUND)
    # Of this tree alone, not of one around it, whoever owns it.
    get_filename_component(above ${SOURCE} DIRECTORY)
    set(git ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} ${GIT_EXECUTABLE} -c safe.directory=${SOURCE})
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=40 --exclude=*
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
                    RESULT_VARIABLE failed ERROR_QUIET)
    # A model of the user's is compiled, too, whether git knows of it or not.
    execute_process(COMMAND ${git} status --porcelain -- src apps cmake CMakeLists.txt
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changed ERROR_QUIET)
    if(NOT failed)
      set(commit ${described})
      if(changed AND NOT commit MATCHES "-dirty$")
        string(APPEND commit "-dirty")
      endif()
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
