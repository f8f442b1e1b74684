# mutant_copy(<variable> <name> <source> <what it says> <what it says instead> [<folder>...])
#
# Makes a copy of the source with one rule broken, and sets the variable to its path. The source is
# one of src/queue, of src/client, or of this directory, or one of the folders that are given.
function(mutant_copy variable name source from to)
  set(folders ${ARGN})
  if(NOT folders)
    set(folders ${PROJECT_SOURCE_DIR}/src/queue ${PROJECT_SOURCE_DIR}/src/client
      ${PROJECT_SOURCE_DIR}/test/simulation)
  endif()
  find_file(original ${source} NO_CACHE REQUIRED NO_DEFAULT_PATH PATHS ${folders})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
  # The linker leaves it out of the libraries, so it is an object of its own there.
  set_source_files_properties(${original} TARGET_DIRECTORY zklock simulation_parts
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  file(READ ${original} text)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: not found exactly once in ${original}: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${source})
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
  set(${variable} ${copy} PARENT_SCOPE)
endfunction()

# mutant_library(<name> <source> <what it says> <what it says instead> [<folder>...])
#
# Compiles the copy, once for all programs that are made of the mutant: mutant_NAME.
function(mutant_library name source from to)
  set(definition "${source}: ${from}: ${to}")
  get_property(defined GLOBAL PROPERTY definition_of_mutant_${name})
  if(TARGET mutant_${name})
    if(NOT defined STREQUAL definition)
      message(FATAL_ERROR "two mutants are called ${name}")
    endif()
    return()
  endif()
  set_property(GLOBAL PROPERTY definition_of_mutant_${name} "${definition}")
  mutant_copy(copy ${name} ${source} "${from}" "${to}" ${ARGN})
  add_library(mutant_${name} OBJECT EXCLUDE_FROM_ALL ${copy})
  target_compile_features(mutant_${name} PRIVATE cxx_std_20)
  target_compile_definitions(mutant_${name} PRIVATE BOOST_ASIO_NO_DEPRECATED)
  zklock_optimize(mutant_${name})
  target_include_directories(mutant_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test/simulation)
  target_include_directories(mutant_${name} SYSTEM PRIVATE
    ${zookeeper_st_include} ${zookeeper_st_folder}/include)
  target_link_libraries(mutant_${name} PRIVATE Boost::headers Threads::Threads)
endfunction()

# mutant_program(<target> <name> <what it is linked with>...)
#
# Linked without debug information: there are hundreds of them.
function(mutant_program target name)
  add_executable(${target})
  target_link_libraries(${target} PRIVATE mutant_${name} ${ARGN})
  target_link_options(${target} PRIVATE LINKER:--strip-debug)
endfunction()

# first_history(<variable> <name>)
#
# Sets the variable to the history with which the test of the mutant begins: first_of_NAME where
# that is set, for a mutant that survives long, and otherwise 1.
function(first_history variable name)
  set(first 1)
  if(DEFINED first_of_${name})
    set(first ${first_of_${name}})
  endif()
  set(${variable} ${first} PARENT_SCOPE)
endfunction()
