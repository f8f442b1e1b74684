# Would the tests notice? Each mutant is a copy of a source of the library with a known fault of a
# driver of the C client; its test passes where some test of the shipped client fails.

# kernel_mutant(<name> <source of src/zookeeper> <what it says> <what it says instead>)
function(kernel_mutant name source from to)
  mutant_copy(copy ${name} ${source} "${from}" "${to}" ${PROJECT_SOURCE_DIR}/src/zookeeper)
  set(target deterministic_kernel_mutant_${name})
  add_executable(${target} ${copy})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE BOOST_ASIO_NO_DEPRECATED)
  target_link_libraries(${target} PRIVATE deterministic_kernel_tests deterministic_kernel)
  # It may fail by a crash, which CTest never takes for the failure that it expects.
  add_test(NAME deterministic_kernel.mutant.${name}
    COMMAND /bin/sh -c "! \"$@\"" sh $<TARGET_FILE:${target}>
      --run_test=shipped_client,faults --log_level=nothing)
  set_tests_properties(deterministic_kernel.mutant.${name} PROPERTIES TIMEOUT 600)
endfunction()

kernel_mutant(leaves_a_lost_connection connection.cpp
  "if (!sound) return lose();" "if (!sound) return;")
kernel_mutant(shares_the_descriptor connection.cpp
  "duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};" "duplicate{socket};")
kernel_mutant(arms_no_timer connection.cpp
  "  wait_for(wanted.delay);
" "")
kernel_mutant(sends_no_end_of_the_session closer.cpp
  "confirmed_ = connected_->close_session();" "confirmed_ = true;")
kernel_mutant(closes_without_a_thread closer.cpp
  "  all_threads().start(closing{std::move(connected), std::move(duplicate)});
  return report;"
  "  closing{std::move(connected), std::move(duplicate)}();
  return report;")
kernel_mutant(checks_no_replies wire.cpp
  "fault_ = check_.check(frame.substr(frame_length_size));" "")
kernel_mutant(numbers_below_0 xid.cpp
  "xid == last ? 1 : xid + 1" "xid == last ? -1000 : xid + 1")
kernel_mutant(waits_for_a_silent_server session_core.cpp
  "steady_clock::now() + attempt_limit()" "steady_clock::now() + std::chrono::hours(1)")
