# TLS by OpenSSL. Sets zklock_tls, and leaves the source of the other case out of zklock_sources.
# Sets zklock_transport_sources, the sources of connections with and without TLS.

set(zklock_tls FALSE)
if(ZKLOCK_TLS)
  find_package(OpenSSL 3 QUIET)
  set(zklock_tls ${OPENSSL_FOUND})
  if(NOT zklock_tls AND ZKLOCK_TLS STREQUAL "AUTO")
    message(STATUS "OpenSSL 3 is missing: zklock is built without TLS")
  elseif(NOT zklock_tls)
    message(FATAL_ERROR "ZKLOCK_TLS is ${ZKLOCK_TLS}, and OpenSSL 3 is missing: install it (on "
      "Debian the package libssl-dev), set OPENSSL_ROOT_DIR to it, or set ZKLOCK_TLS to OFF")
  endif()
endif()

# The other sources of a unity build are better off without the macros of OpenSSL, and tests have a
# fake in its place.
file(GLOB zklock_openssl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/zookeeper/openssl/*.cpp)
set(zklock_without_openssl ${PROJECT_SOURCE_DIR}/src/zookeeper/without_openssl.cpp)
if(zklock_tls)
  list(REMOVE_ITEM zklock_sources ${zklock_without_openssl})
  list(APPEND zklock_sources ${zklock_openssl_sources})
  target_link_libraries(zklock PRIVATE OpenSSL::SSL OpenSSL::Crypto)
endif()
set_source_files_properties(${zklock_openssl_sources} ${zklock_without_openssl} PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
set(zklock_transport_sources ${zklock_sources})
list(FILTER zklock_transport_sources INCLUDE REGEX
  "/zookeeper/((plain|tls)_transport|tls_source|openssl/.*|without_openssl)\\.cpp$")
