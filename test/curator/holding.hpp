#pragma once

#include <zklock/any_lock.hpp>

#include "support/background.hpp"

#include <boost/asio/use_future.hpp>

#include <utility>

namespace zklock::test {

inline hold take(any_lock lock, acquire_options options = {.timeout = 60s}) {
  return get(lock.acquire(std::move(options), asio::use_future));
}

inline void give_back(hold& held) {
  get(held.release(asio::use_future));
}

} // namespace zklock::test
