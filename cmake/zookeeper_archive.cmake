# Renames the symbols in the objects of the C client's archive, and adds the objects to zklock.

# The next build notices another archive. An upgraded archive can be older than the files made of
# the former one, since packages keep the times of files. Then the time of its folder changes.
# Objects made of the same archive by the same rules are kept: new ones would relink every target.
file(SHA256 ${CMAKE_CURRENT_LIST_FILE} zookeeper_st_source)
foreach(archive IN LISTS zookeeper_st_archive)
  cmake_path(GET archive PARENT_PATH folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive} ${folder})
  file(SHA256 ${archive} contents)
  string(APPEND zookeeper_st_source " ${contents}")
endforeach()
macro(zookeeper_st_take_objects)
  file(GLOB zookeeper_st_objects ${zookeeper_st_folder}/*.o)
  set_source_files_properties(${zookeeper_st_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endmacro()
set(zookeeper_st_stamp ${zookeeper_st_folder}/made_from.txt)
if(EXISTS ${zookeeper_st_stamp})
  file(READ ${zookeeper_st_stamp} zookeeper_st_made_from)
  if(zookeeper_st_made_from STREQUAL zookeeper_st_source)
    zookeeper_st_take_objects()
    return()
  endif()
endif()

function(zookeeper_st_refuse what)
  message(FATAL_ERROR "${zookeeper_st_archive} ${what}. zklock needs the C client of ZooKeeper as "
    "Debian's libzookeeper-st-dev has it: libzookeeper_st.a for one thread, built without OpenSSL, "
    "SASL and link-time optimisation. zookeeper_st_archive can name another file, and "
    "ZKLOCK_ZOOKEEPER_SOURCE a source tree of ZooKeeper to compile the C client from. With "
    "zookeeper_st_archive OFF, that source is downloaded.")
endfunction()

execute_process(COMMAND ${CMAKE_READELF} --section-headers --wide ${zookeeper_st_archive}
  OUTPUT_VARIABLE zookeeper_st_sections ERROR_VARIABLE zookeeper_st_error
  RESULT_VARIABLE zookeeper_st_result)
if(zookeeper_st_sections MATCHES "[.]gnu[.]lto_")
  zookeeper_st_refuse("is built with link-time optimisation")
elseif(NOT zookeeper_st_result EQUAL 0 OR zookeeper_st_error MATCHES "Not an ELF file")
  string(STRIP "${zookeeper_st_error}" zookeeper_st_error)
  zookeeper_st_refuse("is no archive of object files (${zookeeper_st_error})")
endif()
execute_process(COMMAND ${CMAKE_NM} --undefined-only --format=posix ${zookeeper_st_archive}
  OUTPUT_VARIABLE zookeeper_st_needed COMMAND_ERROR_IS_FATAL ANY)
if(zookeeper_st_needed MATCHES "\n(SSL|BIO|OPENSSL)_")
  zookeeper_st_refuse("is built with OpenSSL")
elseif(zookeeper_st_needed MATCHES "\nsasl_")
  zookeeper_st_refuse("is built with SASL")
elseif(zookeeper_st_needed MATCHES "\npthread_create ")
  zookeeper_st_refuse("is built for several threads")
endif()

execute_process(
  COMMAND ${CMAKE_NM} --defined-only --extern-only --format=posix ${zookeeper_st_archive}
  OUTPUT_VARIABLE zookeeper_st_symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT zookeeper_st_symbols MATCHES "\nzookeeper_interest T ")
  zookeeper_st_refuse("does not define zookeeper_interest")
endif()
string(REGEX MATCHALL "[A-Za-z_][A-Za-z_0-9]* [A-Z] " zookeeper_st_symbols
  "${zookeeper_st_symbols}")
list(TRANSFORM zookeeper_st_symbols REPLACE " .*" "")
set(renames "")
foreach(symbol IN LISTS zookeeper_st_system_hooks)
  string(APPEND renames "${symbol} zklock_c_${symbol}\n")
endforeach()
foreach(symbol IN LISTS zookeeper_st_symbols)
  string(APPEND renames "${symbol} zklock_c_${symbol}\n")
endforeach()
file(CONFIGURE OUTPUT ${zookeeper_st_folder}/renames.txt CONTENT "${renames}" @ONLY)
zookeeper_st_write_names(${zookeeper_st_symbols})

file(GLOB zookeeper_st_objects ${zookeeper_st_folder}/*.o)
file(REMOVE ${zookeeper_st_stamp} ${zookeeper_st_objects})
foreach(archive IN LISTS zookeeper_st_archive)
  execute_process(COMMAND ${CMAKE_AR} x ${archive}
    WORKING_DIRECTORY ${zookeeper_st_folder} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
zookeeper_st_take_objects()
foreach(object IN LISTS zookeeper_st_objects)
  # For a replaced function of the C client, calls get the name of the replacement, and the
  # definition gets another name. Two definitions of one name would be an error, or chance would
  # pick one.
  execute_process(COMMAND ${CMAKE_NM} --defined-only --extern-only --format=posix ${object}
    OUTPUT_VARIABLE defined COMMAND_ERROR_IS_FATAL ANY)
  set(set_aside "")
  foreach(symbol IN LISTS zookeeper_st_own_hooks)
    if("\n${defined}" MATCHES "\n${symbol} ")
      list(APPEND set_aside --redefine-sym ${symbol}=zklock_c_unused_${symbol})
    endif()
  endforeach()
  if(set_aside)
    execute_process(COMMAND ${CMAKE_OBJCOPY} ${set_aside} ${object} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${zookeeper_st_folder}/renames.txt ${object}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# An archive that is built in another way may call these functions by other names, unnoticed.
execute_process(COMMAND ${CMAKE_NM} --format=posix ${zookeeper_st_objects}
  OUTPUT_VARIABLE zookeeper_st_renamed COMMAND_ERROR_IS_FATAL ANY)
foreach(symbol IN LISTS zookeeper_st_system_hooks zookeeper_st_own_hooks)
  if(NOT zookeeper_st_renamed MATCHES "zklock_c_${symbol} U"
      OR zookeeper_st_renamed MATCHES "zklock_c_${symbol} [A-TV-Z]")
    zookeeper_st_refuse("does not call ${symbol}() by that name")
  endif()
endforeach()
file(WRITE ${zookeeper_st_stamp} "${zookeeper_st_source}")
