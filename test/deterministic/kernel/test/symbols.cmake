# Fails if the library calls a function of the system that touches descriptors, clocks, threads or
# random numbers, and that is not redirected.

cmake_minimum_required(VERSION 3.25)
# These change nothing that a history depends on, or are never called: pipe and pause by Asio where
# there is no eventfd, uname and gethostname by the C client where it logs its environment, fstat for
# files of certificates.
set(harmless
  localtime_r "pthread_(atfork|once|sigmask|detach)" "pthread_(cond|condattr|mutex)_(init|destroy)"
  pthread_condattr_setclock sched_yield pipe pause uname gethostname getpid fstat
  # std::stop_source compares the ids of threads, and does nothing else with them.
  pthread_self
  # A part of the destruction of std::thread, which calls nothing.
  "_ZNSt6thread6_StateD[0-2]Ev")

set(system
  "accept4?" bind listen "getsock.*" "recv.*" "send.*" "p?readv?.*" "p?writev?.*" "pipe2?"
  "p?select" "p?poll" "epoll_.*" "eventfd.*" "timerfd_.*" signalfd "dup[23]?" "fcntl.*" ioctl
  "open.*" "close.*" shutdown "socket.*" connect "get(peer|host|addr).*" freeaddrinfo setsockopt
  "[fl]?stat.*" "clock_.*" gettimeofday time timespec_get "u?sleep" nanosleep alarm ".*localtime.*"
  "gmtime.*" "s?random.*" "s?rand" "rand_r" "[a-z]*rand48" getrandom getentropy "arc4random.*"
  "pthread_.*" "thrd_.*" "cnd_.*" "mtx_.*" "sem_.*" "v?fork" syscall pause "sched_.*" uname getpid
  "__(read|recv|recvfrom|pread|poll|ppoll|fdelt|gethostname)_chk"
  "_ZNSt6chrono.*now.*" "_ZNSt13random_device.*" "_ZNSt6thread.*" "_ZNSt18condition_variable.*"
  "_ZNSt11this_thread.*")

function(matches_one symbol result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(pattern IN LISTS ARGN)
    if(symbol MATCHES "^${pattern}$")
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

execute_process(COMMAND ${nm} --undefined-only --format=posix ${archive}
  OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ U" needed "${needed}")
list(TRANSFORM needed REPLACE " .*" "")
list(REMOVE_DUPLICATES needed)
set(missing "")
set(found 0)
foreach(symbol IN LISTS needed)
  matches_one(${symbol} is_system ${system})
  if(is_system)
    math(EXPR found "${found} + 1")
    matches_one(${symbol} is_harmless ${harmless})
    if(NOT is_harmless AND NOT symbol IN_LIST redirected)
      list(APPEND missing ${symbol})
    endif()
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "not redirected: ${missing}")
elseif(found LESS 40)
  message(FATAL_ERROR "only ${found} calls were found")
endif()
