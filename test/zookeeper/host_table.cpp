#include "host_table.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <thread>
#include <utility>

namespace zklock::test {

host_table& host_table::instance() {
  static host_table& immortal = *new host_table;
  return immortal;
}

void host_table::set(const std::string& name, behaviour how) {
  const std::lock_guard lock(mutex_);
  names_[name] = std::move(how);
  changed_.notify_all();
}

std::vector<std::string> host_table::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void host_table::clear() {
  const std::lock_guard lock(mutex_);
  names_.clear();
  asked_.clear();
  changed_.notify_all();
}

bool host_table::look_up(const std::string& name, std::string& address) {
  std::unique_lock lock(mutex_);
  const auto found = [&] { return names_.find(name); };
  if (found() == names_.end()) return false;
  asked_.push_back(name);
  const auto time = found()->second.time;
  lock.unlock();
  std::this_thread::sleep_for(time);
  lock.lock();
  changed_.wait(lock, [&] { return found() == names_.end() || !found()->second.held; });
  if (found() != names_.end()) address = found()->second.address;
  return true;
}

} // namespace zklock::test

// Replaces the C library's function in this program.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto original = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  std::string address;
  if (!host || !zklock::test::host_table::instance().look_up(host, address))
    return original(host, service, hints, result);
  if (address.empty()) return EAI_NONAME;
  return original(address.c_str(), service, hints, result);
}
