# Installs zklock in five components, which are also the parts of the packages: runtime (a shared
# library), development, testing, metrics and command.

include(CMakePackageConfigHelpers)

set(zklock_package ${CMAKE_INSTALL_LIBDIR}/cmake/zklock)
install(TARGETS zklock EXPORT zklock
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(EXPORT zklock NAMESPACE zklock:: DESTINATION ${zklock_package} COMPONENT development)
install(DIRECTORY include/zklock TYPE INCLUDE COMPONENT development
  PATTERN testing EXCLUDE PATTERN testing.hpp EXCLUDE
  PATTERN metrics EXCLUDE PATTERN metrics.hpp EXCLUDE)
install(FILES LICENSE NOTICE debian/copyright TYPE DOC COMPONENT license)

# A program that links a static zklock links what zklock uses.
set(zklock_find_openssl "")
set(zklock_requires "")
if(zklock_tls AND NOT zklock_type STREQUAL "SHARED_LIBRARY")
  set(zklock_find_openssl "find_dependency(OpenSSL 3)")
  set(zklock_requires "\nRequires: openssl >= 3")
endif()
configure_package_config_file(cmake/zklockConfig.cmake.in zklockConfig.cmake
  INSTALL_DESTINATION ${zklock_package} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(zklockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/zklockConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/zklockConfigVersion.cmake
  DESTINATION ${zklock_package} COMPONENT development)

# zklock_pkg_config(COMPONENT NAME LIBRARY DESCRIPTION): a file for pkg-config. Its prefix is found
# from its own place, so that an installed tree can move.
function(zklock_pkg_config component name library description)
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    OUTPUT_VARIABLE prefix)
  string(PREPEND prefix "\${pcfiledir}/")
  foreach(kind IN ITEMS LIBDIR INCLUDEDIR)
    set(${kind} "${CMAKE_INSTALL_${kind}}")
    if(NOT IS_ABSOLUTE "${${kind}}")
      string(PREPEND ${kind} "\${prefix}/")
    endif()
  endforeach()
  configure_file(cmake/pkg_config.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${folder}
    COMPONENT ${component})
endfunction()
zklock_pkg_config(development zklock zklock "${PROJECT_DESCRIPTION}")
set(zklock_requires "")

# zklock_component(NAME TARGET PKG-CONFIG-NAME DESCRIPTION): a static library beside zklock.
function(zklock_component name target package description)
  install(TARGETS ${target} EXPORT ${target} ARCHIVE COMPONENT ${name})
  install(EXPORT ${target} NAMESPACE zklock:: DESTINATION ${zklock_package} COMPONENT ${name})
  install(DIRECTORY include/zklock/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zklock
    COMPONENT ${name})
  install(FILES include/zklock/${name}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zklock
    COMPONENT ${name})
  zklock_pkg_config(${name} ${package} ${target} "${description}")
endfunction()
if(ZKLOCK_TESTING)
  zklock_component(testing zklock_testing zklock-testing "ZooKeeper servers for tests")
endif()
if(ZKLOCK_METRICS)
  set(zklock_requires "\nRequires: zklock")
  zklock_component(metrics zklock_metrics zklock-metrics "Figures of locks for Prometheus")
  install(DIRECTORY share/grafana share/prometheus DESTINATION ${CMAKE_INSTALL_DATADIR}/zklock
    COMPONENT metrics)
endif()

if(ZKLOCK_COMMAND)
  install(TARGETS zklock_command RUNTIME COMPONENT command)
  file(GLOB zklock_pages CONFIGURE_DEPENDS doc/man/*.1)
  if(NOT CURSES_FOUND)
    # No pages of the subcommands that are left out, and no mention of them in the page of zklock.
    set(left_out "zklock-(deadlocks|doctor|top)")
    list(FILTER zklock_pages EXCLUDE REGEX "/(zklock|${left_out})\\.1$")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS doc/man/zklock.1)
    file(READ doc/man/zklock.1 page)
    string(REGEX REPLACE "\\.It Xr ${left_out} 1\n[^\n]*\n" "" page "${page}")
    string(REGEX REPLACE " ,\n\\.Xr ${left_out} 1" "" page "${page}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/zklock.1 "${page}")
    list(APPEND zklock_pages ${CMAKE_CURRENT_BINARY_DIR}/zklock.1)
  endif()
  install(FILES ${zklock_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(DIRECTORY share/bash-completion TYPE DATA COMPONENT command)
  install(DIRECTORY share/zsh/site-functions/ DESTINATION ${ZKLOCK_ZSH_FOLDER} COMPONENT command)
endif()
