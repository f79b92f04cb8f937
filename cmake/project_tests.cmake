# SPDX-License-Identifier: BSD-3-Clause
# Tests of the tree itself: its layers, its formatting, the mathematical half alone, the installed package.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME project.layers COMMAND ${in_idle_time} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/check_layers.py)
add_test(NAME project.layers_check COMMAND ${in_idle_time} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/check_layers.py --self-test)
add_test(NAME project.format COMMAND ${in_idle_time} ${PROJECT_SOURCE_DIR}/cmake/format_check)
# Of the lowest layers and one with a precompiled header, without the analyser and as one source: all take long (tests/full tidy).
add_test(NAME project.tidy COMMAND ${in_idle_time} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/tidy --build ${PROJECT_BINARY_DIR} --quick
  --together src/core/ src/parallel/ src/rods/halo)
add_test(NAME project.quickstart COMMAND ${in_idle_time} ${Python3_EXECUTABLE}
  ${PROJECT_SOURCE_DIR}/tests/quickstart/test_quickstart.py ${PROJECT_SOURCE_DIR}/cmake/quickstart)
add_test(NAME project.fresh_machine COMMAND ${in_idle_time} ${Python3_EXECUTABLE}
  ${PROJECT_SOURCE_DIR}/tests/quickstart/test_fresh_machine.py ${PROJECT_SOURCE_DIR}/cmake/fresh_machine)
add_test(NAME project.launcher COMMAND ${in_idle_time} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/launcher/test_launcher.py)
add_test(NAME project.pbs COMMAND ${in_idle_time} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/cluster/test_pbs.py)
if(TARGET swinging_atwood)
  add_test(NAME project.usual_mistakes COMMAND ${in_idle_time} ${Python3_EXECUTABLE}
    ${PROJECT_SOURCE_DIR}/tests/mistakes/test_usual_mistakes.py ${PROJECT_BINARY_DIR})
  set_tests_properties(project.usual_mistakes PROPERTIES LABELS project TIMEOUT 600)
endif()
set_tests_properties(project.layers project.layers_check project.launcher project.pbs project.format project.tidy project.quickstart
                     project.fresh_machine PROPERTIES LABELS project SKIP_RETURN_CODE 77)

# Both build in a folder of their own, which is kept so that a second run is quick. Of the mathematical half all is
# configured, and its lowest layers are built and tested: the layers above were compiled with no other folders of headers
# than theirs, and package.find_package links them without MPI. The preset "mathematics" builds all of it.
if(NOT COTANGENT_SANITIZE AND NOT COTANGENT_MATHEMATICS_ONLY)
  add_test(NAME package.mathematics_alone COMMAND ${in_idle_time} ${CMAKE_CTEST_COMMAND}
    --build-and-test ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/mathematics
    --build-generator ${CMAKE_GENERATOR} --build-noclean --build-target unit_tests
    --build-options -DCOTANGENT_MATHEMATICS_ONLY=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
                    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCOTANGENT_NATIVE=${COTANGENT_NATIVE}
                    -DCOTANGENT_UNIT_TESTS=core,ad,numerics
                    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
                    -DCMAKE_DISABLE_FIND_PACKAGE_GSL=ON  # whose own search needs PkgConfig
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error --tests-regex "^unit[.]")
  add_test(NAME package.find_package COMMAND ${in_idle_time} ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR} -DGENERATOR=${CMAKE_GENERATOR} -DCOMPILER=${CMAKE_CXX_COMPILER}
    -P ${PROJECT_SOURCE_DIR}/tests/package/run.cmake)
  set_tests_properties(package.mathematics_alone package.find_package
                       PROPERTIES LABELS package PROCESSORS 2 COST 2 TIMEOUT 1800)
endif()
