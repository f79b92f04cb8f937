# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a folder, moves that folder elsewhere, builds the project beside this file against it
# with find_package(cotangent), and runs what comes out.
foreach(variable BUILD GENERATOR COMPILER)
  if(NOT ${variable})
    message(FATAL_ERROR "-D${variable}= is missing")
  endif()
endforeach()
set(folder ${BUILD}/package)
file(REMOVE_RECURSE ${folder})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/installed)
file(RENAME ${folder}/installed ${folder}/moved)

foreach(half mathematics distributed)
  # The mathematical half has to do without MPI and HDF5.
  set(options -DCOTANGENT_HALF=${half} --no-warn-unused-cli)
  if(half STREQUAL mathematics)
    list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
  endif()
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder}/${half} ${options}
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH=${folder}/moved)
  run(${CMAKE_COMMAND} --build ${folder}/${half} --parallel 2)
  run(${folder}/${half}/use_${half})
endforeach()

# The example of a model of one's own, copied out of the tree.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../../apps/own_problem DESTINATION ${folder})
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${folder}/own_problem -B ${folder}/own_problem/build
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${folder}/moved)
run(${CMAKE_COMMAND} --build ${folder}/own_problem/build)
run(${folder}/own_problem/build/swinging_atwood --describe swinging-atwood)
run(${folder}/own_problem/build/peyrard_bishop --describe peyrard-bishop)

if(EXISTS ${folder}/moved/bin/cotangent)
  run(${folder}/moved/bin/cotangent --version)
endif()

# Nothing installed may speak of the folders that it was built in.
file(GLOB_RECURSE texts ${folder}/moved/*.cmake ${folder}/moved/*.hpp)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
foreach(text IN LISTS texts)
  file(STRINGS ${text} lines REGEX "${source}|${BUILD}")
  if(lines)
    message(FATAL_ERROR "${text} points back into the build: ${lines}")
  endif()
endforeach()
