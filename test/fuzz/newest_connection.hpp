#pragma once

#include "deterministic/service.hpp"
#include "testing/checked_reader.hpp"
#include "tree_server.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::fuzz {

/// The server's end of the newest connection. Bytes that arrive wait until they are taken.
class newest_connection final : public deterministic::listener {
 public:
  std::unique_ptr<deterministic::server_program>
  accept(std::shared_ptr<deterministic::server_end> client) override {
    close();
    client_ = std::move(client);
    received_.clear();
    is_established_ = false;
    return std::make_unique<conversation>(*this, client_.get());
  }

  void close() {
    if (const auto closed = std::exchange(client_, nullptr)) closed->close();
  }

  void send(std::string_view bytes) {
    if (client_) client_->send(bytes);
  }

  /// Answers the next request. Returns false if there was none.
  bool answer(tree_server& by) {
    if (!client_ || received_.size() < 4) return false;
    const auto length = static_cast<std::size_t>(testing::checked_reader(received_).take_int());
    if (received_.size() < 4 + length) return false;
    const auto frame = received_.substr(4, length);
    received_.erase(0, 4 + length);
    send(std::exchange(is_established_, true) ? by.answer(frame) : by.handshake());
    return true;
  }

 private:
  class conversation final : public deterministic::server_program {
   public:
    conversation(newest_connection& of, const deterministic::server_end* client)
        : owner_(of), client_(client) {}

    void on_bytes(std::string_view bytes) override {
      if (owner_.client_.get() == client_) owner_.received_ += bytes;
    }

    void on_closed() override {
      if (owner_.client_.get() == client_) owner_.client_.reset();
    }

   private:
    newest_connection& owner_;
    const deterministic::server_end* const client_;
  };

  std::shared_ptr<deterministic::server_end> client_;
  std::string received_;
  bool is_established_ = false;
};

} // namespace zklock::fuzz
