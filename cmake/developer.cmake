# Settings that all targets of zklock share.

if(ZKLOCK_SANITIZE)
  add_compile_options(-fsanitize=${ZKLOCK_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ZKLOCK_SANITIZE})
  add_compile_definitions(ZKLOCK_SANITIZED)
endif()

# zklock_target(TARGET): the compiler settings of every target, tests and examples included.
function(zklock_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Hides most of the interfaces that newer versions of Boost have removed.
  target_compile_definitions(${target} PRIVATE BOOST_ASIO_NO_DEPRECATED)
  if(ZKLOCK_DEVELOPER)
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
    # Inside coroutines gcc 12 sees how Asio allocates their frames, but not how it frees them. It
    # also takes "text" + string for an overlapping copy (GCC bug 105651). In the sources of a unity
    # build, which it sees as headers, it finds local types of coroutines.
    # Its garbage collector takes a tenth of the time as it is set up.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:
      -Wno-mismatched-new-delete -Wno-restrict -Wno-subobject-linkage
      --param=ggc-min-heapsize=1000000>)
    # gcc 12 gives false positives of these warnings inside Boost when a sanitizer is on.
    if(ZKLOCK_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-tsan)
    endif()
  endif()
endfunction()

# zklock_optimize(TARGET): a target that computes much. Tests mostly wait, and are compiled in three
# quarters of the time without optimisation.
separate_arguments(zklock_library_flags UNIX_COMMAND "${ZKLOCK_LIBRARY_FLAGS}")
function(zklock_optimize target)
  target_compile_options(${target} PRIVATE ${zklock_library_flags})
endfunction()

# zklock_library(TARGET): an installed library. Only its public interface is visible.
function(zklock_library target)
  zklock_target(${target})
  zklock_optimize(${target})
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    DEFINE_SYMBOL ""
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target}
    PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC Boost::headers Threads::Threads)
endfunction()
