# Takes the objects of libzookeeper_st.a into our library under other names: a program may itself
# use libzookeeper_mt, whose symbols are called the same, and neither may end up with the other's.
#
# Sets zookeeper_st_include, zookeeper_st_objects and zookeeper_st_folder, in which
# include/zookeeper_st_names.h maps the C client's names to the new ones.

find_path(zookeeper_st_include zookeeper/zookeeper.h REQUIRED)
find_library(zookeeper_st_archive libzookeeper_st.a REQUIRED)

set(zookeeper_st_folder ${PROJECT_BINARY_DIR}/zookeeper_st)
set(zookeeper_st_names ${zookeeper_st_folder}/include/zookeeper_st_names.h)
file(MAKE_DIRECTORY ${zookeeper_st_folder}/include)

execute_process(
  COMMAND ${CMAKE_NM} --defined-only --extern-only --format=posix ${zookeeper_st_archive}
  OUTPUT_VARIABLE zookeeper_st_symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[A-Za-z_][A-Za-z_0-9]* [A-Z] " zookeeper_st_symbols
  "${zookeeper_st_symbols}")
# Its own send(2) goes through ours: see src/zookeeper/send.cpp.
set(renames "send zklock_c_send\n")
set(defines "")
foreach(line IN LISTS zookeeper_st_symbols)
  string(REGEX REPLACE " .*" "" symbol "${line}")
  string(APPEND renames "${symbol} zklock_c_${symbol}\n")
  if(symbol MATCHES "^(zoo|ZOO|zerror|is_unrecoverable)")
    string(APPEND defines "#define ${symbol} zklock_c_${symbol}\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${zookeeper_st_folder}/renames.txt CONTENT "${renames}" @ONLY)
file(CONFIGURE OUTPUT ${zookeeper_st_names} CONTENT "${defines}" @ONLY)

execute_process(
  COMMAND ${CMAKE_AR} x ${zookeeper_st_archive}
  WORKING_DIRECTORY ${zookeeper_st_folder} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB zookeeper_st_objects ${zookeeper_st_folder}/*.o)
foreach(object IN LISTS zookeeper_st_objects)
  execute_process(
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${zookeeper_st_folder}/renames.txt ${object}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set_source_files_properties(${zookeeper_st_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
