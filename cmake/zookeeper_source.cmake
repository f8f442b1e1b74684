# Compiles the C client of a source tree of ZooKeeper, and adds the objects to zklock. A header that
# each of the C client's sources includes first renames its symbols.

# The release is that of Debian 12's package, with which all tests pass. Debian's source package has
# the signature of the archive.
set(zookeeper_st_release 3.8.0)
set(ZKLOCK_ZOOKEEPER_URL
  "https://archive.apache.org/dist/zookeeper/zookeeper-3.8.0/apache-zookeeper-3.8.0.tar.gz"
  CACHE STRING "Where the source of ZooKeeper ${zookeeper_st_release} is downloaded from")

set(zookeeper_st_ways "zklock needs the C client of ZooKeeper:
 - as Debian's package libzookeeper-st-dev has it (apt install libzookeeper-st-dev), or
 - from a source tree of ZooKeeper 3.8 or 3.9, which -DZKLOCK_ZOOKEEPER_SOURCE=DIR names, or
 - from the source of ZooKeeper ${zookeeper_st_release}, which CMake downloads with
   -DZKLOCK_DOWNLOAD_ZOOKEEPER=ON from ZKLOCK_ZOOKEEPER_URL, ${ZKLOCK_ZOOKEEPER_URL}")

set(zookeeper_st_tree ${ZKLOCK_ZOOKEEPER_SOURCE})
if(NOT zookeeper_st_tree)
  if(NOT ZKLOCK_DOWNLOAD_ZOOKEEPER)
    message(FATAL_ERROR "The C client is not found, and ZKLOCK_DOWNLOAD_ZOOKEEPER is OFF. "
      "${zookeeper_st_ways}")
  endif()
  include(FetchContent)
  if(NOT EXISTS ${FETCHCONTENT_BASE_DIR}/zklock_zookeeper-src/LICENSE.txt)
    # Stands above the error if the download fails.
    message(STATUS "Downloading the C client. ${zookeeper_st_ways}")
  endif()
  FetchContent_Declare(zklock_zookeeper URL ${ZKLOCK_ZOOKEEPER_URL} DOWNLOAD_EXTRACT_TIMESTAMP OFF
    URL_HASH SHA256=b0c5684640bea2d8bd6610b47ff41be2aefd6c910ba48fcad5949bd2bf2fa1ac)
  # The tree has no CMakeLists.txt, so nothing is added to this project.
  FetchContent_MakeAvailable(zklock_zookeeper)
  set(zookeeper_st_tree ${zklock_zookeeper_SOURCE_DIR})
endif()

set(zookeeper_st_client ${zookeeper_st_tree}/zookeeper-client/zookeeper-client-c)
set(zookeeper_st_jute ${zookeeper_st_tree}/zookeeper-jute/src/main/resources/zookeeper.jute)
foreach(file IN ITEMS ${zookeeper_st_client}/src/zookeeper.c ${zookeeper_st_jute})
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "ZKLOCK_ZOOKEEPER_SOURCE is ${ZKLOCK_ZOOKEEPER_SOURCE}, which is no source "
      "tree of ZooKeeper 3.8 or 3.9: it lacks ${file}. ${zookeeper_st_ways}")
  endif()
endforeach()
file(STRINGS ${zookeeper_st_client}/include/zookeeper_version.h zookeeper_st_version
  REGEX "define ZOO_VERSION")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" zookeeper_st_version "${zookeeper_st_version}")
if(NOT zookeeper_st_version MATCHES "^3\\.[89]\\.")
  message(WARNING "zklock is tested with the C clients of ZooKeeper 3.8 and 3.9, and "
    "${zookeeper_st_tree} has ${zookeeper_st_version}")
endif()
message(STATUS "Compiling the C client of ZooKeeper ${zookeeper_st_version}: ${zookeeper_st_tree}")
enable_language(C)

# The headers, by the names that the package has.
set(zookeeper_st_include ${zookeeper_st_folder}/source)
include(${CMAKE_CURRENT_LIST_DIR}/jute.cmake)
zklock_generate_jute(${zookeeper_st_jute} ${zookeeper_st_include}/zookeeper zookeeper_st_symbols)
file(GLOB headers ${zookeeper_st_client}/include/*.h)
file(COPY ${headers} DESTINATION ${zookeeper_st_include}/zookeeper)

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/zookeeper_symbols.txt symbols)
list(APPEND zookeeper_st_symbols ${symbols})
zookeeper_st_write_names(${zookeeper_st_symbols})

# The system's headers come first, since they declare the hooked functions, and with _FORTIFY_SOURCE
# also define them. A hooked function of the C client keeps its definition, by another name.
set(renames "// Included before each source of the C client.
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

ssize_t zklock_c_send(int, const void*, size_t, int);
ssize_t zklock_c_recv(int, void*, size_t, int);
int zklock_c_poll(struct pollfd*, nfds_t, int);
int zklock_c_clock_gettime(clockid_t, struct timespec*);
int32_t zklock_c_get_xid();

")
foreach(symbol IN LISTS zookeeper_st_system_hooks zookeeper_st_symbols)
  string(APPEND renames "#define ${symbol} zklock_c_${symbol}\n")
endforeach()
foreach(symbol IN LISTS zookeeper_st_own_hooks)
  string(APPEND renames "
#ifdef ZKLOCK_DEFINES_${symbol}
#undef ${symbol}
#define ${symbol} zklock_c_unused_${symbol}
#endif
")
endforeach()
file(CONFIGURE OUTPUT ${zookeeper_st_folder}/zookeeper_st_renames.h CONTENT "${renames}" @ONLY)

# What the C client's configure script finds on Linux.
set(found SYS_TIME_H SYS_SOCKET_H POLL NETINET_IN_H ARPA_INET_H NETDB_H UNISTD_H SYS_UTSNAME_H
  GETPWUID_R GETUID GETHOSTNAME GETLOGIN GETCWD)
list(TRANSFORM found REPLACE "(.+)" "#define HAVE_\\1 1\n")
string(JOIN "" found ${found} "#define POLL_NFDS_TYPE nfds_t\n" "#define SOCK_CLOEXEC_ENABLED 1\n"
  "#define PACKAGE_STRING \"zookeeper C client ${zookeeper_st_version}\"\n")
file(CONFIGURE OUTPUT ${zookeeper_st_folder}/config.h CONTENT "${found}" @ONLY)

add_library(zklock_zookeeper OBJECT ${zookeeper_st_include}/zookeeper/zookeeper.jute.c)
foreach(source IN ITEMS addrvec recordio st_adaptor zk_hashtable zk_log zookeeper
    hashtable/hashtable hashtable/hashtable_itr)
  target_sources(zklock_zookeeper PRIVATE ${zookeeper_st_client}/src/${source}.c)
endforeach()
set_source_files_properties(${zookeeper_st_client}/src/st_adaptor.c PROPERTIES
  COMPILE_DEFINITIONS ZKLOCK_DEFINES_get_xid)
target_include_directories(zklock_zookeeper PRIVATE ${zookeeper_st_folder}
  ${zookeeper_st_include}/zookeeper ${zookeeper_st_client}/src)
target_compile_definitions(zklock_zookeeper PRIVATE _GNU_SOURCE USE_STATIC_LIB)
# Its warnings are not ours. Its assertions stay in release builds, as they are in the archive.
target_compile_options(zklock_zookeeper PRIVATE -w -UNDEBUG
  "SHELL:-include ${zookeeper_st_folder}/zookeeper_st_renames.h")
set_target_properties(zklock_zookeeper PROPERTIES
  C_STANDARD 11
  C_EXTENSIONS ON
  C_VISIBILITY_PRESET hidden
  POSITION_INDEPENDENT_CODE ON
  UNITY_BUILD OFF)
set(zookeeper_st_objects $<TARGET_OBJECTS:zklock_zookeeper>)
