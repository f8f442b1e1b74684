#pragma once

#include <zklock/zklock.hpp>

#include "chaos/client/event_log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// A completion token: returns the error and the result instead of throwing.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// The objects that the waiters on a loop of a process share.
struct scene {
  asio::io_context& io;
  /// Whether `io` is not the client's loop.
  bool elsewhere;
  zklock::client& zk;
  event_log& log;
  /// Files of all processes.
  std::filesystem::path folder;
  /// The name of this process, in the elements that it adds.
  std::string name;
  /// Which of the C++ processes it is.
  std::size_t process;
  /// Shared by all waiters: an acquire needs no strand while the entry is cached.
  std::vector<zklock::mutex> own_locks;
  std::mt19937_64 random_numbers;
  /// The number of the last operation.
  std::uint64_t& operations;
  /// Shared by all loops.
  std::atomic<bool>& stopping;

  /// Returns a number from `from` to `to`.
  int random(int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random_numbers);
  }

  bool chance(int percent) { return random(1, 100) <= percent; }
};

} // namespace chaos
