# Debian packages: `cmake --workflow --preset package`. Each component is a package.

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime development testing command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CONTACT "zklock maintainers <maintainers@zklock.invalid>" CACHE STRING
  "The maintainer of the packages")
# Each package has a summary of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_ZKLOCK_SOURCE ${PROJECT_SOURCE_DIR})

set(zklock_soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(zklock_debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
# A program and zklock must have the same version of Boost, not only a new one.
set(zklock_boost libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libzklock${zklock_soname})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"distributed locks for Boost.Asio programs
zklock gives C++20 programs on Boost.Asio locks that all machines share which
reach the same ZooKeeper servers: mutexes, readers-writer locks, semaphores
and leader election, with timeouts, cancellation and fencing tokens.

This package contains the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libzklock-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libzklock${zklock_soname} (= ${zklock_debian_version}), ${zklock_boost}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS libzklock-testing-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"distributed locks for Boost.Asio programs - development files
zklock gives C++20 programs on Boost.Asio locks that all machines share which
reach the same ZooKeeper servers.

This package contains the headers, and the files for CMake and pkg-config.")

set(CPACK_DEBIAN_TESTING_PACKAGE_NAME libzklock-testing-dev)
set(CPACK_DEBIAN_TESTING_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TESTING_PACKAGE_DEPENDS "libzklock-dev (= ${zklock_debian_version})")
set(CPACK_DEBIAN_TESTING_PACKAGE_RECOMMENDS
  "libzookeeper-java, default-jre-headless | java11-runtime-headless")
set(CPACK_DEBIAN_TESTING_DESCRIPTION
"real ZooKeeper servers for the tests of C++ programs
zklock::testing starts ZooKeeper servers for the run of a test, alone or as an
ensemble, and stops, pauses, cuts off and expires on request.

This package contains the static library and its headers.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME zklock)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libzklock${zklock_soname} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
"run commands under a lock that machines share
The command zklock runs another command while a lock in ZooKeeper is held, with
the habits of flock(1), and ends it before the lock can pass on. It also lists
locks, their holders and waiters, and asks holders to release.")

include(CPack)
