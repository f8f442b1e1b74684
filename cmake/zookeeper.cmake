# ZooKeeper's C client, whose objects become part of zklock. Its symbols are renamed: a program may
# itself use libzookeeper_mt, which has the same symbols. The two must not mix.
#
# Sets zookeeper_st_include, zookeeper_st_objects and zookeeper_st_folder, in which
# include/zookeeper_st_names.h maps the C client's names to the new ones.
#
# Three ways lead to the C client: the source tree ZKLOCK_ZOOKEEPER_SOURCE, an archive, and the
# source of a release, which is downloaded. The cache variable zookeeper_st_archive overrides the
# archive that is found. It can be a list: ZooKeeper's own CMake files make libzookeeper.a and
# libhashtable.a.

set(ZKLOCK_ZOOKEEPER_SOURCE "$ENV{ZKLOCK_ZOOKEEPER_SOURCE}" CACHE PATH
  "A source tree of ZooKeeper 3.8 or 3.9, to compile the C client from")
option(ZKLOCK_DOWNLOAD_ZOOKEEPER
  "Download ZooKeeper's source if the C client is not found otherwise" ON)

find_path(zookeeper_st_include zookeeper/zookeeper.h)
find_library(zookeeper_st_archive libzookeeper_st.a)

set(zookeeper_st_folder ${PROJECT_BINARY_DIR}/zookeeper_st)
file(MAKE_DIRECTORY ${zookeeper_st_folder}/include)

# Functions of the system, and of the C client itself, that src/zookeeper/hooks.cpp replaces.
set(zookeeper_st_system_hooks send recv poll clock_gettime)
set(zookeeper_st_own_hooks get_xid)

# Writes the header for zklock's sources: those use a few of the C client's names.
function(zookeeper_st_write_names)
  set(symbols ${ARGN})
  list(FILTER symbols INCLUDE REGEX "^(zoo|ZOO|zerror|is_unrecoverable)")
  list(TRANSFORM symbols REPLACE "(.+)" "#define \\1 zklock_c_\\1\n")
  string(JOIN "" defines ${symbols})
  file(CONFIGURE OUTPUT ${zookeeper_st_folder}/include/zookeeper_st_names.h CONTENT "${defines}"
    @ONLY)
endfunction()

if(ZKLOCK_ZOOKEEPER_SOURCE OR NOT zookeeper_st_include OR NOT zookeeper_st_archive)
  include(${CMAKE_CURRENT_LIST_DIR}/zookeeper_source.cmake)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/zookeeper_archive.cmake)
endif()
