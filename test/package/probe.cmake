# A project with only the C client's objects.
cmake_minimum_required(VERSION 3.25)
project(probe CXX)
include(${ZKLOCK_SOURCE}/cmake/zookeeper_st.cmake)
file(CONFIGURE OUTPUT probe.cpp CONTENT "int probe() { return 0; }\n")
add_library(probe STATIC ${PROJECT_BINARY_DIR}/probe.cpp ${zookeeper_st_objects})
set_source_files_properties(${zookeeper_st_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
