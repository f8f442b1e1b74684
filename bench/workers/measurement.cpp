#include "measurement.hpp"

#include "support/system_calls.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long status(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  throw std::runtime_error("/proc/self/status does not contain " + name);
}

// Returns the smallest sample that at least this share of the samples does not exceed.
double percentile(const std::vector<float>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

float milliseconds(clock::duration time) {
  return std::chrono::duration<float, std::milli>(time).count();
}

// Prints the times by the shares of the samples that do not exceed them.
void print_distribution(const std::vector<float>& sorted) {
  const char* separator = "{";
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999}) {
    std::cout << separator << '"' << share << "\": " << percentile(sorted, share);
    separator = ", ";
  }
  std::cout << '}';
}

long long nanoseconds(clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

} // namespace

void measurement::samples::add(const cycle& one) {
  if (!owner_->open_.load(std::memory_order_relaxed)) return;
  cycles_.push_back(milliseconds(one.ended - one.started));
  acquires_.push_back(milliseconds(one.held - one.started));
  if (owner_->stamps_) stamps_.push_back(one);
}

void measurement::open() {
  std::cout << "measuring" << std::endl;
  cpu_seconds_ = -cpu_seconds();
  system_calls_ = zklock::test::system_calls::of_process();
  opened_ = clock::now();
  counter_.start();
  open_ = true;
}

void measurement::close() {
  open_ = false;
  instructions_ = counter_.stop();
  system_calls_ = zklock::test::system_calls::of_process() - system_calls_;
  seconds_ = std::chrono::duration<double>(clock::now() - opened_).count();
  cpu_seconds_ += cpu_seconds();
  peak_rss_kib_ = status("VmHWM");
  threads_ = status("Threads");
  std::cout << "measured" << std::endl;
}

std::vector<float> measurement::sort(const std::vector<samples>& all,
                                     std::vector<float> samples::*times) {
  std::vector<float> sorted;
  for (const auto& one : all)
    sorted.insert(sorted.end(), (one.*times).begin(), (one.*times).end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void measurement::report(const std::vector<samples>& all) const {
  const auto sorted = sort(all, &samples::cycles_);
  std::cout << "{\"cycles\": " << sorted.size() << ", \"seconds\": " << seconds_
            << ", \"p50_ms\": " << percentile(sorted, 0.5)
            << ", \"p99_ms\": " << percentile(sorted, 0.99)
            << ", \"max_ms\": " << percentile(sorted, 1) << ", \"cpu_seconds\": " << cpu_seconds_
            << ", \"peak_rss_kib\": " << peak_rss_kib_ << ", \"threads\": " << threads_
            << ", \"system_calls\": " << system_calls_;
  if (instructions_) std::cout << ", \"instructions\": " << *instructions_;
  if (all.front().stack_) std::cout << ", \"stack_kib\": " << *all.front().stack_ / 1024;
  std::cout << ", \"acquire_ms\": ";
  print_distribution(sort(all, &samples::acquires_));
  std::cout << ", \"holds\": [";
  const char* separator = "";
  for (const auto& one : all)
    for (const auto& hold : one.stamps_) {
      std::cout << separator << '[' << nanoseconds(hold.held) << ',' << nanoseconds(hold.released)
                << ']';
      separator = ",";
    }
  std::cout << "]}" << std::endl;
}

void wait_for_go() {
  std::cout << "ready" << std::endl;
  std::string line;
  if (!std::getline(std::cin, line) || line != "go")
    throw std::runtime_error("read '" + line + "' instead of 'go'");
}

} // namespace bench
