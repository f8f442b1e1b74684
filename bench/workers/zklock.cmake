# bench_zklock, and what it shares with the other workers. Included by two projects.
set(workers ${CMAKE_CURRENT_LIST_DIR})

add_library(bench_support OBJECT ${workers}/settings.cpp ${workers}/measurement.cpp
  ${workers}/instruction_counter.cpp ${workers}/../../test/support/system_calls.cpp)
zklock_target(bench_support)
target_include_directories(bench_support PRIVATE ${workers}/../../test)

function(zklock_bench name)
  add_executable(${name} ${ARGN})
  zklock_target(${name})
  target_link_libraries(${name} PRIVATE bench_support)
  add_dependencies(bench ${name})
endfunction()

add_custom_target(bench)

zklock_bench(bench_zklock ${workers}/zklock.cpp ${workers}/contexts.cpp ${workers}/zklock_work.cpp
  ${workers}/zklock_connect.cpp ${workers}/zklock_crowd.cpp ${workers}/zklock_first_touch.cpp
  ${workers}/zklock_immediate.cpp ${workers}/zklock_others.cpp ${workers}/zklock_readers.cpp)
target_link_libraries(bench_zklock PRIVATE zklock::zklock)
