# Adds to each Debian package what Debian's policy asks for. CPack runs it before it makes them.

cmake_minimum_required(VERSION 3.25)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  string(TOUPPER ${component} name)
  set(package ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  set(documents ${root}/doc/${package})
  configure_file(${CPACK_ZKLOCK_SOURCE}/packaging/copyright ${documents}/copyright COPYONLY)
  configure_file(${CPACK_ZKLOCK_SOURCE}/CHANGELOG.md ${documents}/changelog COPYONLY)
  configure_file(${CPACK_ZKLOCK_SOURCE}/packaging/debian/changelog.in
    ${documents}/changelog.Debian @ONLY)
  configure_file(${CPACK_ZKLOCK_SOURCE}/packaging/debian/lintian-overrides/${package}
    ${root}/lintian/overrides/${package} COPYONLY)

  file(GLOB_RECURSE programs ${root}/../bin/* ${root}/../lib/*.so.*.*.*)
  file(GLOB_RECURSE archives ${root}/../lib/*.a)
  foreach(file IN LISTS programs archives)
    set(what --strip-unneeded)
    if(file IN_LIST archives)
      set(what --strip-debug --enable-deterministic-archives)
    endif()
    execute_process(COMMAND strip ${what} --remove-section=.comment --remove-section=.note ${file}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  file(GLOB pages ${root}/man/man1/*)
  # Without the name and the time of the file: the same tree makes the same package.
  execute_process(
    COMMAND gzip --best --no-name ${documents}/changelog ${documents}/changelog.Debian ${pages}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
