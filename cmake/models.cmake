# SPDX-License-Identifier: BSD-3-Clause
# Each header in src/mechanics/models/ holds one model, named as the file is: henon_heiles.hpp has HenonHeiles.
# Each header in src/mechanics/surfaces/ holds one surface, on which a particle is a model. Each is compiled in a
# source of its own, written here, together with the list of them all; the methods for motion on a manifold in a
# second one, so that a change to one method's header compiles about half. Pair potentials likewise.
set(COTANGENT_MODELS "" CACHE STRING "Built-in models to compile, by the names of their files, with commas; empty: all")

# The name of the type that a header `file` holds.
function(cotangent_type_name file result)
  string(REPLACE "_" ";" words ${file})
  set(name "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# Compiles `template` for each of the headers into a target, and the list of them: `maker` is the type made.
macro(cotangent_compile_template target template)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${template}.cpp.in
                 ${PROJECT_BINARY_DIR}/generated/${template}s/${file}.cpp @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/${template}s/${file}.cpp)
endmacro()
macro(cotangent_list_member target template maker)
  cotangent_compile_template(${target} ${template})
  string(APPEND declarations "std::unique_ptr<${maker}> make_${file}();\n")
  string(APPEND list "  list.push_back(make_${file}());\n")
endmacro()
macro(cotangent_list target template)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${template}_list.cpp.in
                 ${PROJECT_BINARY_DIR}/generated/${template}s/list.cpp @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/${template}s/list.cpp)
endmacro()

# Compiles `template` for each model whose header is in these folders of src/mechanics/ and that is asked for.
# Further templates are compiled beside it.
function(cotangent_list_models target template maker)
  cmake_parse_arguments(PARSE_ARGV 3 args "" "" "FOLDERS;BESIDE")
  string(REPLACE "," ";" chosen "${COTANGENT_MODELS}")
  set(declarations "")
  set(list "")
  foreach(folder IN LISTS args_FOLDERS)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mechanics/${folder}/*.hpp)
    foreach(header IN LISTS headers)
      get_filename_component(file ${header} NAME_WE)
      if(chosen AND NOT file IN_LIST chosen)
        continue()
      endif()
      cotangent_type_name(${file} model)
      set(model "mechanics::${model}")
      if(folder STREQUAL "surfaces")
        set(model "mechanics::ParticleOn<${model}>")
      endif()
      cotangent_list_member(${target} ${template} ${maker})
      foreach(other IN LISTS args_BESIDE)
        cotangent_compile_template(${target} ${other})
      endforeach()
    endforeach()
  endforeach()
  cotangent_list(${target} ${template})
endfunction()

function(cotangent_models target)
  cotangent_list_models(${target} model Problem FOLDERS models surfaces BESIDE model_on_manifold)
endfunction()

# The same surfaces, for many particles at a time.
function(cotangent_surfaces target)
  cotangent_list_models(${target} surface Surface FOLDERS surfaces)
endfunction()

function(cotangent_potentials target)
  file(GLOB potentials CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mechanics/potentials/*.hpp)
  set(declarations "")
  set(list "")
  foreach(header IN LISTS potentials)
    get_filename_component(file ${header} NAME_WE)
    cotangent_type_name(${file} model)
    cotangent_list_member(${target} potential Potential)
  endforeach()
  cotangent_list(${target} potential)
endfunction()

# Each header in src/lattice/models/ holds one large Lagrangian, as a list of its terms.
function(cotangent_lattices target)
  file(GLOB lattices CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/lattice/models/*.hpp)
  set(declarations "")
  set(list "")
  foreach(header IN LISTS lattices)
    get_filename_component(file ${header} NAME_WE)
    cotangent_type_name(${file} model)
    cotangent_list_member(${target} lattice_model Model)
  endforeach()
  cotangent_list(${target} lattice_model)
endfunction()
