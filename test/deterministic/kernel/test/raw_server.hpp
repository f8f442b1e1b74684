#pragma once

#include "deterministic/service.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace deterministic {

/// A server that keeps the bytes that it receives, and sends the bytes of a test.
class raw_server final : public listener {
 public:
  std::unique_ptr<server_program> accept(std::shared_ptr<server_end> from) override {
    client = std::move(from);
    if (!greeting.empty()) client->send(greeting);
    return std::make_unique<program>(*this);
  }

  std::string greeting;
  std::string received;
  bool closed = false;
  std::shared_ptr<server_end> client;

 private:
  class program final : public server_program {
   public:
    explicit program(raw_server& of) noexcept : server_(of) {}
    void on_bytes(std::string_view bytes) override { server_.received.append(bytes); }
    void on_closed() override { server_.closed = true; }

   private:
    raw_server& server_;
  };
};

} // namespace deterministic
