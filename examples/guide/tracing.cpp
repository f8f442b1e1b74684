// Spans of waiting for locks and of holding them, for doc/guide/metrics.md.
//
//   tracing [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void expect(bool met, const std::string& what) {
  std::cout << what << (met ? "" : ": NO") << std::endl;
  if (!met) throw std::runtime_error("it is not so: " + what);
}

// Stands for a span of a tracing library, with the members that zklock needs.
struct span {
  std::string name;
  std::string parent;
  std::map<std::string, std::string> attributes;
  std::string error;
  bool ended = false;
};

// Stands for the tracer: it keeps all spans, and knows the current span of the thread.
struct tracer {
  std::shared_ptr<span> start(std::string name, std::string parent) {
    return spans.emplace_back(std::make_shared<span>(std::move(name), std::move(parent)));
  }

  static inline thread_local std::string current;
  std::vector<std::shared_ptr<span>> spans;
};

// A span from the call of acquire to its end, and a span while the lock is held.
class lock_spans : public zklock::observer {
 public:
  explicit lock_spans(tracer& to) : to_(to) {}

  std::shared_ptr<void> acquire_started(const zklock::observed_acquire& what) override {
    auto both = std::make_shared<spans>();
    both->parent = tracer::current;
    both->waiting = to_.start("lock wait", both->parent);
    both->waiting->attributes["lock.path"] = what.path;
    return both;
  }

  void granted(const std::shared_ptr<void>& key, zklock::fencing_token token) override {
    auto& both = of(key);
    both.waiting->ended = true;
    both.holding = to_.start("lock hold", both.parent);
    both.holding->attributes["lock.path"] = both.waiting->attributes["lock.path"];
    both.holding->attributes["lock.token"] = token.to_string();
  }

  void reentered(const std::shared_ptr<void>& key) override { end(of(key).waiting, {}); }

  void not_granted(const std::shared_ptr<void>& key, zklock::error_code why) override {
    end(of(key).waiting, why);
  }

  void lost(const std::shared_ptr<void>& key, zklock::error_code why) override {
    end(of(key).holding, why);
  }

  void released(const std::shared_ptr<void>& key) override { end(of(key).holding, {}); }

 private:
  struct spans {
    std::string parent;
    std::shared_ptr<span> waiting;
    std::shared_ptr<span> holding;
  };

  static spans& of(const std::shared_ptr<void>& key) { return *static_cast<spans*>(key.get()); }

  static void end(const std::shared_ptr<span>& which, zklock::error_code why) {
    if (why) which->error = why.message();
    which->ended = true;
  }

  tracer& to_;
};

zklock::client_options options(const std::string& servers, tracer& to) {
  return {.servers = servers, .observer = std::make_shared<lock_spans>(to)};
}

asio::awaitable<void> run(zklock::client& client, tracer& to) {
  zklock::mutex lock(client, "/locks/tracing");
  zklock::mutex same(client, "/locks/tracing");
  tracer::current = "POST /orders";
  zklock::hold hold = co_await lock.acquire(30s);
  const auto token = hold.token().to_string();
  const auto [error, none] = co_await same.acquire(50ms, asio::as_tuple(asio::deferred));
  expect(error == zklock::errc::timed_out, "a lock that is held is not acquired");
  co_await hold.release();

  expect(to.spans.size() == 3, "there are spans of two waits and of one hold");
  const auto &waited = *to.spans[0], &held = *to.spans[1], &refused = *to.spans[2];
  expect(waited.name == "lock wait" && waited.ended && waited.error.empty(), "one wait succeeds");
  expect(held.name == "lock hold" && held.ended && held.error.empty(), "the hold is released");
  expect(held.attributes.at("lock.token") == token, "its span has the token");
  expect(refused.ended && refused.error == error.message(), "the other wait has an error");
  expect(held.parent == "POST /orders", "the parent is the span of the caller");
}

} // namespace

int main(int argc, char** argv) try {
  tracer spans;
  asio::io_context io;
  zklock::client client(io, options(argc > 1 ? argv[1] : "127.0.0.1:2181", spans));
  asio::co_spawn(io, run(client, spans), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "tracing: " << error.what() << std::endl;
  return 1;
}
