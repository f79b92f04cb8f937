# Tests that run under MPI, at 1, 2, 3 and 4 ranks (3 catches what is only even). They have a main of their own;
# cotangent_mpi_test(layer [pattern]) takes tests/<layer>/*.cpp, or those that fit the pattern.
add_library(catch_main_mpi STATIC catch_main_mpi.cpp)
target_link_libraries(catch_main_mpi PUBLIC Catch2::Catch2 cotangent_flags cotangent_parallel)

add_custom_target(mpi_tests)
function(cotangent_mpi_test layer)
  set(pattern ${ARGN})
  if(NOT pattern)
    set(pattern *.cpp)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/${pattern})
  set(program test_${layer}_mpi)
  add_executable(${program} ${sources})
  add_dependencies(mpi_tests ${program})
  target_link_libraries(${program} PRIVATE cotangent_${layer} catch_main_mpi cotangent_warnings)
  target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  # More ranks than cores: they yield the processor while they wait. As root, and in containers, with leave.
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
                  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
                  OMPI_MCA_btl_vader_single_copy_mechanism=none)
  foreach(ranks 1 2 3 4)
    add_test(NAME mpi.${layer}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${program}>
                     ~[measure])
    set_tests_properties(mpi.${layer}.${ranks} PROPERTIES LABELS mpi PROCESSORS ${ranks} TIMEOUT 120
                         ENVIRONMENT "${environment}")
  endforeach()
endfunction()

cotangent_mpi_test(parallel)
cotangent_mpi_test(io test_hdf5*.cpp)
