# SPDX-License-Identifier: BSD-3-Clause
# Models whose formulas are evaluated node by node (formulas/interpreted.hpp), one source for each dimension and form:
# two minutes of a processor, for programs that travel to machines without a compiler.
set(COTANGENT_INTERPRETED 0 CACHE STRING
    "Formulas of up to so many coordinates (at most 4), and on a surface, also run where there is no compiler")
if(NOT COTANGENT_INTERPRETED MATCHES "^[0-4]$")
  message(FATAL_ERROR "COTANGENT_INTERPRETED: a number of coordinates from 0 to 4, not '${COTANGENT_INTERPRETED}'")
endif()
set(declarations "")
set(list "")
if(COTANGENT_INTERPRETED)
  foreach(kind 1,newtonian 2,newtonian 3,newtonian 4,newtonian 1,general 2,general 3,general 4,general 3,on_surface)
    string(REPLACE "," ";" kind ${kind})
    list(GET kind 0 dim)
    list(GET kind 1 form)
    if(form STREQUAL "on_surface" OR dim LESS_EQUAL COTANGENT_INTERPRETED)
      set(source ${PROJECT_BINARY_DIR}/generated/interpreted/${form}_${dim}.cpp)
      configure_file(${PROJECT_SOURCE_DIR}/cmake/interpreted.cpp.in ${source} @ONLY)
      target_sources(cotangent_formulas PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O1)  # the evaluation is what takes time
      set(make "interpreted_of<${dim}, Form::${form}>")
      string(APPEND declarations
        "template <>\nstd::unique_ptr<sections::Problem> ${make}(const Labels&);\n")
      string(APPEND list "{${dim}, Form::${form}, ${make}}, ")
    endif()
  endforeach()
endif()
set(source ${PROJECT_BINARY_DIR}/generated/interpreted/list.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/interpreted_list.cpp.in ${source} @ONLY)
target_sources(cotangent_formulas PRIVATE ${source})
