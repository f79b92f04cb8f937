# SPDX-License-Identifier: BSD-3-Clause
# PETSc brings some ninety libraries along, whose loading takes longer than all else that a start does, and many runs never
# call it. So the program isn't linked with it: its calls go through the lazily bound table of any dynamic program, and la::Petsc
# opens the library, for all to see, before the first. Programs of one's own and tests are linked as usual.
# Limits: needs a shared library of which functions alone are used, no data (-z text refuses it); a start without LD_BIND_NOW.
set(late OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND PETSC_VERSION MATCHES "^3[.]18[.]" AND CMAKE_READELF)  # as tested
  list(GET PETSC_LINK_LIBRARIES 0 library)
  if(library MATCHES "[.]so$")
    execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "Library soname: .([^]]+)")
      set(COTANGENT_PETSC_SONAME ${CMAKE_MATCH_1})
      set(late ON)
    endif()
  endif()
endif()
option(COTANGENT_LATE_PETSC "The program opens PETSc where a run needs it" ${late})
if(COTANGENT_LATE_PETSC AND NOT COTANGENT_PETSC_SONAME)
  message(FATAL_ERROR "COTANGENT_LATE_PETSC needs a shared PETSc 3.18 on Linux")
endif()
if(COTANGENT_LATE_PETSC)
  get_target_property(libraries PkgConfig::PETSC INTERFACE_LINK_LIBRARIES)
  set_target_properties(PkgConfig::PETSC PROPERTIES INTERFACE_LINK_LIBRARIES
                        "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:OPENS_PETSC_LATE>>>:${libraries}>")
endif()

function(cotangent_opens_petsc_late program)
  if(COTANGENT_LATE_PETSC)
    set_target_properties(${program} PROPERTIES OPENS_PETSC_LATE ON)
    set_property(TARGET ${program} APPEND PROPERTY BUILD_RPATH ${PETSC_LIBRARY_DIRS})
    target_link_options(${program} PRIVATE LINKER:-z,lazy LINKER:-z,text LINKER:--unresolved-symbols=ignore-in-object-files)
  endif()
endfunction()
