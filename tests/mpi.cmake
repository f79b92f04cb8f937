# SPDX-License-Identifier: BSD-3-Clause
# Tests that run under MPI, at 1, 2, 3 and 4 ranks (3 catches what is only even), those tagged [one-rank] at 1 alone. They
# have a main of their own; cotangent_mpi_test(layer [pattern]) takes tests/<layer>/*.cpp, or those that fit the pattern.
add_library(catch_main_mpi STATIC catch_main_mpi.cpp)
target_link_libraries(catch_main_mpi PUBLIC Catch2::Catch2 cotangent_flags cotangent_parallel)
cotangent_test_options(catch_main_mpi)

# More ranks than cores: they yield the processor while they wait. As root, and in containers, with leave. Tests start
# thousands of ranks, each for a moment: none looks through the machine's devices and networks (all are on one machine),
# which takes half of a start's time.
set(mpirun ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG})
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
                    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
                    OMPI_MCA_btl_vader_single_copy_mechanism=none
                    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
                    HWLOC_COMPONENTS=-linuxio,-pci,-linuxpci)

# One after the other, from the first moment on, so that the tests of one process run beside them.
function(cotangent_has_ranks test)
  set_tests_properties(${test} PROPERTIES RESOURCE_LOCK ranks COST 3)
endfunction()

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
  cotangent_test_options(${program})
  cotangent_precompile(${program} "${CMAKE_CURRENT_SOURCE_DIR}/mpi_test.hpp" ${standard_headers})
  foreach(ranks 1 2 3 4)
    set(label mpi)
    if(ranks EQUAL 4 AND layer MATCHES "^(overland|rods|particles)$")  # the slow ones: in the full suite alone
      set(label full)
    endif()
    set(chosen "")
    if(ranks GREATER 1)
      set(chosen "~[one-rank]~[.]")
    endif()
    set(launcher ${mpirun} ${ranks})
    if(ranks EQUAL 1)
      set(launcher ${in_idle_time} ${launcher})
    elseif(layer MATCHES "^(overland|rods|particles|lattice)$")  # many small messages; no files, for which ranks wait otherwise
      set(launcher ${CMAKE_CURRENT_SOURCE_DIR}/in_turn ${launcher})
    endif()
    add_test(NAME mpi.${layer}.${ranks} COMMAND ${launcher} $<TARGET_FILE:${program}> ${chosen})
    set_tests_properties(mpi.${layer}.${ranks} PROPERTIES LABELS ${label} TIMEOUT 300 ENVIRONMENT "${mpi_environment}")
    if(ranks GREATER 1)
      cotangent_has_ranks(mpi.${layer}.${ranks})
    endif()
  endforeach()
endfunction()

# The victim has to be killed; the survivor goes on from its file, on another number of ranks.
function(cotangent_kill_test layer name victims survivors)
  foreach(part victim survivor)
    set(test mpi.killed_${name}_${victims}.${part})
    set(ranks ${${part}s})
    add_test(NAME ${test} COMMAND ${mpirun} ${ranks} $<TARGET_FILE:test_${layer}_mpi> [${part}-${name}])
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 300 ENVIRONMENT
      "${mpi_environment};COTANGENT_TEST_FILE=${CMAKE_CURRENT_BINARY_DIR}/killed_${name}_${victims}.h5")
    cotangent_has_ranks(${test})
  endforeach()
  set_tests_properties(mpi.killed_${name}_${victims}.victim PROPERTIES FIXTURES_SETUP killed_${name}_${victims}
                       WILL_FAIL TRUE)
  set_tests_properties(mpi.killed_${name}_${victims}.survivor PROPERTIES FIXTURES_REQUIRED
                       killed_${name}_${victims})
endfunction()

cotangent_mpi_test(parallel)
cotangent_mpi_test(la)
cotangent_mpi_test(particles)
cotangent_mpi_test(rods)
cotangent_mpi_test(lattice)
cotangent_mpi_test(overland)
target_compile_definitions(test_overland_mpi PRIVATE COTANGENT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")  # a mesh to damage
cotangent_mpi_test(io test_hdf5*.cpp)
cotangent_mpi_test(run)
cotangent_mpi_test(studies)
cotangent_kill_test(io writing 1 4)
cotangent_kill_test(io writing 3 2)
cotangent_kill_test(io creating 1 2)
cotangent_kill_test(io creating 3 1)
cotangent_kill_test(run run 1 2)
cotangent_kill_test(run run 2 3)
cotangent_kill_test(run run 3 1)
cotangent_kill_test(run checkpoint 1 3)
cotangent_kill_test(run checkpoint 3 2)
