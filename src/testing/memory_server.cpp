#include <zklock/testing/memory_server.hpp>

#include "testing/memory_listener.hpp"
#include "testing/reactor.hpp"

#include <utility>

namespace zklock::testing {
namespace {

memory::session_limits limits_of(const memory_server_options& options) {
  const auto tick = options.tick_time.count();
  const auto shortest = options.min_session_timeout.count();
  return {tick, shortest != 0 ? shortest : 2 * tick, options.max_session_timeout.count()};
}

} // namespace

class memory_server::impl {
 public:
  explicit impl(const memory_server_options& options)
      : listener(std::make_shared<memory_listener>(thread.context(), limits_of(options),
                                                   options.container_check_interval.count(),
                                                   options.port)) {
    thread.run([&] { listener->open(); });
  }

  ~impl() {
    thread.run([&] { listener->shut(); });
  }

  reactor thread;
  std::shared_ptr<memory_listener> listener;
};

memory_server::memory_server(memory_server_options options, detail::build_settings)
    : impl_(std::make_unique<impl>(options)) {}

memory_server::~memory_server() = default;

std::string memory_server::address() const {
  return "127.0.0.1:" + std::to_string(port());
}

std::uint16_t memory_server::port() const {
  return impl_->listener->port();
}

void memory_server::start() {
  impl_->thread.run([&] { impl_->listener->open(); });
}

void memory_server::stop() {
  impl_->thread.run([&] { impl_->listener->shut(); });
}

void memory_server::restart() {
  stop();
  start();
}

bool memory_server::running() const {
  return impl_->thread.run([&] { return impl_->listener->is_open(); });
}

void memory_server::drop_connections() {
  impl_->thread.run([&] { impl_->listener->drop_connections(); });
}

bool memory_server::expire(std::int64_t session_id) {
  return impl_->thread.run([&] { return impl_->listener->expire(session_id); });
}

std::map<std::string, node> memory_server::nodes() const {
  return impl_->thread.run([&] {
    std::map<std::string, node> result;
    for (const auto& path : impl_->listener->tree().paths()) {
      const memory::znode& found = *impl_->listener->tree().find(path);
      result[path] = {found.data.value_or(""), found.stat()};
    }
    return result;
  });
}

} // namespace zklock::testing
