#include "deterministic/kernel/names.hpp"

#include "deterministic/kernel/kernel.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace deterministic {

namespace {

/// A result with its address behind it.
struct result {
  addrinfo info{};
  sockaddr_storage address{};
};

result* make_result(const std::string& address, std::uint16_t port) {
  auto made = std::make_unique<result>();
  auto& v4 = reinterpret_cast<sockaddr_in&>(made->address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(made->address);
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    made->info.ai_addrlen = sizeof v4;
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    made->info.ai_addrlen = sizeof v6;
  } else {
    return nullptr;
  }
  made->info.ai_family = made->address.ss_family;
  made->info.ai_socktype = SOCK_STREAM;
  made->info.ai_protocol = IPPROTO_TCP;
  made->info.ai_addr = reinterpret_cast<sockaddr*>(&made->address);
  return made.release();
}

} // namespace

int names::resolve(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  ++lookups_;
  const auto port = static_cast<std::uint16_t>(service ? std::atoi(service) : 0);
  const std::string name = host ? host : "";
  if (result* const numeric = make_result(name, port)) {
    *found = &numeric->info;
    return 0;
  }
  if (hints && (hints->ai_flags & AI_NUMERICHOST)) return EAI_NONAME;
  if (!kernel_.threads().current())
    kernel_.add_fault("the name " + name + " is resolved by a thread that must not wait");

  const auto it = entries_.find(name);
  const entry what = it != entries_.end() ? it->second : entry{.error = EAI_NONAME};
  kernel_.trace([&] { return "looks up " + name; });
  if (kernel_.threads().current())
    kernel_.threads().sleep_until(kernel_.time(), kernel_.time().now() + what.delay);
  if (what.error != 0) return what.error;

  addrinfo** last = found;
  *found = nullptr;
  for (const auto& each : what.addresses) {
    result* const added = make_result(each, port);
    if (!added) continue;
    *last = &added->info;
    last = &added->info.ai_next;
  }
  return *found ? 0 : EAI_NONAME;
}

void names::release(addrinfo* first) noexcept {
  while (first) {
    addrinfo* const next = first->ai_next;
    delete reinterpret_cast<result*>(first);
    first = next;
  }
}

} // namespace deterministic
