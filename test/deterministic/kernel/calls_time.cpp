// The calls for clocks and random numbers. See calls_files.cpp for the names.
#include "deterministic/kernel/system_call.hpp"

#include <fcntl.h>
#include <sys/time.h>

#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

using namespace deterministic;

namespace {

/// The time of a clock, for the current process or for none.
time_point read_clock(kernel& in, clockid_t which) {
  in.checkpoint();
  const process& self = *in.current();
  switch (which) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
    return self.real_time();
  case CLOCK_BOOTTIME:
    return self.boot_time();
  default:
    return self.monotonic_time();
  }
}

} // namespace

extern "C" {

int __real_clock_gettime(clockid_t, timespec*);
int __wrap_clock_gettime(clockid_t which, timespec* time) {
  kernel* const in = calling();
  const bool measures_work = which == CLOCK_PROCESS_CPUTIME_ID || which == CLOCK_THREAD_CPUTIME_ID;
  if (!in || measures_work) return __real_clock_gettime(which, time);
  const auto now = read_clock(*in, which);
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  *time = {static_cast<time_t>(whole.count()), static_cast<long>((now - whole).count())};
  return 0;
}

int __real_gettimeofday(timeval*, void*);
int __wrap_gettimeofday(timeval* time, void* zone) {
  kernel* const in = calling();
  if (!in) return __real_gettimeofday(time, zone);
  const auto now = read_clock(*in, CLOCK_REALTIME);
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  *time = {static_cast<time_t>(whole.count()),
           static_cast<suseconds_t>((now - whole).count() / 1000)};
  return 0;
}

time_t __real_time(time_t*);
time_t __wrap_time(time_t* time) {
  kernel* const in = calling();
  if (!in) return __real_time(time);
  const auto now = static_cast<time_t>(
      std::chrono::floor<std::chrono::seconds>(read_clock(*in, CLOCK_REALTIME)).count());
  if (time) *time = now;
  return now;
}

// steady_clock::now() and system_clock::now(). A point of time is returned as its number of
// nanoseconds is: clang refuses a class as the result of a C function.
std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  kernel* const in = calling();
  if (!in) return __real__ZNSt6chrono3_V212steady_clock3nowEv();
  return read_clock(*in, CLOCK_MONOTONIC).count();
}

std::int64_t __real__ZNSt6chrono3_V212system_clock3nowEv();
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
  kernel* const in = calling();
  if (!in) return __real__ZNSt6chrono3_V212system_clock3nowEv();
  return read_clock(*in, CLOCK_REALTIME).count();
}

// std::random_device: _M_init(const std::string&), _M_fini() and _M_getval().
void __real__ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    std::random_device*, const std::string&);
void __wrap__ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    std::random_device* self, const std::string& token) {
  if (!calling())
    __real__ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
        self, token);
}

void __real__ZNSt13random_device7_M_finiEv(std::random_device*);
void __wrap__ZNSt13random_device7_M_finiEv(std::random_device* self) {
  if (!calling()) __real__ZNSt13random_device7_M_finiEv(self);
}

unsigned __real__ZNSt13random_device9_M_getvalEv(std::random_device*);
unsigned __wrap__ZNSt13random_device9_M_getvalEv(std::random_device* self) {
  kernel* const in = calling();
  if (!in) return __real__ZNSt13random_device9_M_getvalEv(self);
  return static_cast<unsigned>(in->dice().next());
}

long __real_random();
long __wrap_random() {
  kernel* const in = calling();
  return in ? static_cast<long>(in->dice().below(std::size_t{RAND_MAX} + 1)) : __real_random();
}

double __real_drand48();
double __wrap_drand48() {
  kernel* const in = calling();
  return in ? static_cast<double>(in->dice().below(1 << 30)) / (1 << 30) : __real_drand48();
}

void __real_srandom(unsigned);
void __wrap_srandom(unsigned seed) {
  if (!calling()) __real_srandom(seed);
}

void __real_srand48(long);
void __wrap_srand48(long seed) {
  if (!calling()) __real_srand48(seed);
}

int __real_open(const char*, int, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, unsigned);
  va_end(arguments);
  kernel* const in = calling();
  if (!in) return __real_open(path, flags, mode);
  in->add_fault(std::string("the file ") + path + " is opened");
  errno = ENOENT;
  return -1;
}

} // extern "C"
