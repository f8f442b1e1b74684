# A project with only the C client's objects.
cmake_minimum_required(VERSION 3.25)
project(probe CXX)
include(${ZKLOCK_SOURCE}/cmake/zookeeper.cmake)
file(CONFIGURE OUTPUT probe.cpp CONTENT "int probe() { return 0; }\n")
add_library(probe STATIC ${PROJECT_BINARY_DIR}/probe.cpp ${zookeeper_st_objects})
