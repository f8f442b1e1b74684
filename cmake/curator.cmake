# Compiles the Java programs of tests and benchmarks that use Curator, from Debian's packages.
#
# Sets curator_missing to the list of missing prerequisites, which is empty if all are there.

set(curator_missing "")
set(curator_jars "")
find_program(java_program java)
find_program(java_compiler javac)
if(NOT java_program OR NOT java_compiler)
  list(APPEND curator_missing "a Java compiler")
endif()
foreach(name IN ITEMS curator-recipes curator-framework curator-client zookeeper zookeeper-jute
    guava slf4j-api slf4j-nop)
  set(jar /usr/share/java/${name}.jar)
  list(APPEND curator_jars ${jar})
  if(NOT EXISTS ${jar})
    list(APPEND curator_missing ${jar})
  endif()
endforeach()
list(JOIN curator_jars ":" curator_jars)

# zklock_curator_program(TARGET CLASS FOLDER)
#
# Compiles the sources in FOLDER. The target is built only as a dependency of another target.
# `java @TARGET.arguments` in the build folder then starts the program, whose main class is CLASS.
function(zklock_curator_program target class folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.java)
  set(classes ${CMAKE_CURRENT_BINARY_DIR}/${target}.classes)
  set(arguments ${CMAKE_CURRENT_BINARY_DIR}/${target}.arguments)
  add_custom_command(
    OUTPUT ${classes}/compiled
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${classes}
    COMMAND ${java_compiler} -Xlint:all,-path -Werror -cp ${curator_jars} -d ${classes} ${sources}
    COMMAND ${CMAKE_COMMAND} -E touch ${classes}/compiled
    DEPENDS ${sources}
    COMMENT "Compiling ${target} with javac"
    VERBATIM)
  add_custom_target(${target} DEPENDS ${classes}/compiled)
  file(CONFIGURE OUTPUT ${arguments} CONTENT "-cp \"${classes}:${curator_jars}\" ${class}\n" @ONLY)
endfunction()
