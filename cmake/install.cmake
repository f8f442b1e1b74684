include(CMakePackageConfigHelpers)

set(zklock_package ${CMAKE_INSTALL_LIBDIR}/cmake/zklock)
install(TARGETS zklock EXPORT zklock)
if(ZKLOCK_TESTING)
  install(TARGETS zklock_testing EXPORT zklock)
endif()
if(ZKLOCK_COMMAND)
  install(TARGETS zklock_command)
  file(GLOB zklock_pages CONFIGURE_DEPENDS doc/man/*.1)
  install(FILES ${zklock_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(DIRECTORY share/ TYPE DATA)
endif()
install(DIRECTORY include/zklock TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)
install(EXPORT zklock NAMESPACE zklock:: DESTINATION ${zklock_package})
configure_package_config_file(cmake/zklockConfig.cmake.in zklockConfig.cmake
  INSTALL_DESTINATION ${zklock_package})
write_basic_package_version_file(zklockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/zklockConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/zklockConfigVersion.cmake
  DESTINATION ${zklock_package})
