#pragma once

#include <zklock/testing/operation.hpp>

#include "deterministic/service.hpp"
#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace deterministic {

/// A server that accepts every session, and knows pings, exists, empty transactions and the
/// end of a session.
class simple_server final : public listener {
 public:
  explicit simple_server(std::int32_t timeout = 6000) noexcept : timeout_(timeout) {}

  std::unique_ptr<server_program> accept(std::shared_ptr<server_end> client) override {
    ++accepted;
    last_ = client;
    return std::make_unique<conversation>(*this, std::move(client));
  }

  /// Sends bytes to the last client.
  void say(std::string_view bytes) {
    if (const auto client = last_.lock()) client->send(bytes);
  }

  /// Called with each request, before its answer.
  std::function<void()> on_request;

  /// The answer to all requests but pings and the end of a session.
  std::int32_t error = 0;

  /// If false, the server grants no session, and knows of no session.
  bool has_sessions = true;

  int accepted = 0;
  int ended = 0;
  int requests = 0;
  int closed_sessions = 0;
  /// Requests whose numbers the protocol reserves.
  int wrong_numbers = 0;
  std::string received;

 private:
  class conversation final : public server_program {
   public:
    conversation(simple_server& of, std::shared_ptr<server_end> client)
        : server_(of), client_(std::move(client)) {}

    void on_bytes(std::string_view bytes) override {
      server_.received.append(bytes);
      in_.append(bytes);
      while (in_.size() >= 4) {
        zklock::testing::checked_reader length(in_);
        const auto size = 4 + static_cast<std::size_t>(length.take_int());
        if (in_.size() < size) break;
        const auto frame = in_.substr(4, size - 4);
        in_.erase(0, size);
        std::exchange(is_first_, false) ? shake_hands(frame) : answer(frame);
      }
    }

    void on_closed() override { ++server_.ended; }

   private:
    void shake_hands(std::string_view frame) {
      zklock::testing::checked_reader in(frame);
      in.take_int();
      in.take_long();
      in.take_int();
      if (!server_.has_sessions && in.take_long() == 0) return client_->close();
      zklock::detail::jute_writer out;
      out.put_int(0);
      out.put_int(server_.has_sessions ? server_.timeout_ : 0);
      out.put_long(server_.has_sessions ? 0x1234567 : 0);
      out.put_string(std::string(16, 'p'));
      out.put_bool(false);
      client_->send(out.framed());
    }

    void answer(std::string_view frame) {
      zklock::testing::checked_reader in(frame);
      const auto number = in.take_int();
      const auto kind = static_cast<zklock::testing::operation>(in.take_int());
      ++server_.requests;
      server_.wrong_numbers += number <= 0 && kind != zklock::testing::operation::ping;
      if (server_.on_request) server_.on_request();
      zklock::detail::jute_writer out;
      out.put_int(number);
      out.put_long(server_.requests);
      const bool lists = kind == zklock::testing::operation::get_children2;
      constexpr std::int32_t no_node = -101;
      const bool is_refused = server_.error != 0 && kind != zklock::testing::operation::ping &&
                              kind != zklock::testing::operation::close_session;
      out.put_int(is_refused ? server_.error : lists ? no_node : 0);
      if (is_refused) return client_->send(out.framed());
      // Each part of the stat structure is 0.
      if (kind == zklock::testing::operation::exists) out.put_raw(std::string(68, '\0'));
      if (kind == zklock::testing::operation::multi) {
        // The end of the results of no parts.
        out.put_int(-1);
        out.put_bool(true);
        out.put_int(-1);
      }
      client_->send(out.framed());
      if (kind != zklock::testing::operation::close_session) return;
      ++server_.closed_sessions;
      client_->close();
    }

    simple_server& server_;
    const std::shared_ptr<server_end> client_;
    std::string in_;
    bool is_first_ = true;
  };

  const std::int32_t timeout_;
  std::weak_ptr<server_end> last_;
};

} // namespace deterministic
