# SPDX-License-Identifier: BSD-3-Clause
# Compiler flags that every target of ours shares. The bits of a trajectory may not depend on how the
# compiler fuses a*b + c in one instantiation or another, so contraction is off and fma() is explicit.
add_library(cotangent_flags INTERFACE)
add_library(cotangent::flags ALIAS cotangent_flags)
set_target_properties(cotangent_flags PROPERTIES EXPORT_NAME flags)
target_compile_features(cotangent_flags INTERFACE cxx_std_20)
target_compile_options(cotangent_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(processor ${COTANGENT_PROCESSOR})
if(COTANGENT_NATIVE)
  set(processor native)
endif()
if(processor)
  target_compile_options(cotangent_flags INTERFACE -march=${processor})
endif()
if(processor MATCHES "native|v4")
  # A pack of lanes is copied as it is loaded: in halves, each load of the whole would wait for both stores.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-mmove-max=512 -mstore-max=512" COTANGENT_MOVES_WHOLE_PACKS)
  if(COTANGENT_MOVES_WHOLE_PACKS)
    target_compile_options(cotangent_flags INTERFACE -mmove-max=512 -mstore-max=512)
  endif()
endif()

# GCC collects its garbage whenever its heap has grown by a third: a sixth of the time of a model's source. Here it
# begins at half a gigabyte, and from there as the heap grows by a half; one process then needs .8 GB where it needed .5.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-expand=50 --param=ggc-min-heapsize=530000)
endif()

add_library(cotangent_warnings INTERFACE)
target_compile_options(cotangent_warnings INTERFACE -Wall -Wextra -Wpedantic -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cotangent_warnings INTERFACE -Wno-maybe-uninitialized)
else()
  target_compile_options(cotangent_warnings INTERFACE -Wno-unknown-pragmas)  # GCC's hints to its vectoriser
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(cotangent_warnings INTERFACE -Wno-restrict)  # GCC bug 105651: string + "literal"
  else()  # false where copies of vectors are inlined: sizes that can't be are warned of
    target_compile_options(cotangent_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()
if(COTANGENT_WERROR)
  target_compile_options(cotangent_warnings INTERFACE -Werror)
endif()
if(COTANGENT_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # checks of accesses as calls, not in line: a quarter of the time of compiling
    add_compile_options(--param=asan-instrumentation-with-call-threshold=0)
  endif()
  if(NOT COTANGENT_ALL_PAIRS)  # a quarter of the time of compiling, for what the address sanitizer mostly meets as well
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()
