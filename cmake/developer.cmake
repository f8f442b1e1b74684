# Settings that all our targets share.

if(ZKLOCK_SANITIZE)
  add_compile_options(-fsanitize=${ZKLOCK_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ZKLOCK_SANITIZE})
endif()

# What every target of ours is compiled with, tests and examples too.
function(zklock_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Whatever newer Boost removed must not be used: this hides most of it.
  target_compile_definitions(${target} PRIVATE BOOST_ASIO_NO_DEPRECATED)
  if(ZKLOCK_DEVELOPER)
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
    # gcc 12 sees inside coroutines how Asio allocates their frames, and not how it frees them; and
    # takes "text" + string for an overlapping copy (GCC bug 105651).
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
    # gcc 12 reports false positives of these inside Boost when a sanitizer is on.
    if(ZKLOCK_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-tsan)
    endif()
  endif()
endfunction()

# A library that is installed: nothing but its public interface is visible.
function(zklock_library target)
  zklock_target(${target})
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
