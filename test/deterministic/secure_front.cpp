#include "secure_front.hpp"

#include "zookeeper/tls_context.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deterministic {

namespace {

using zklock::test::fake_tls_server;

/// The server's end of a connection, for the server itself.
class secured_end final : public server_end {
 public:
  secured_end(std::shared_ptr<server_end> client, unsigned seed)
      : client_(std::move(client)), tls_(seed) {}

  void send(std::string_view bytes) override { client_->send(tls_.send(bytes)); }
  void close() override {
    client_->send(fake_tls_server::end());
    client_->close();
  }
  void reset() override { client_->reset(); }

  /// Returns the plain text of bytes of the client; nothing if it was reset.
  std::optional<std::string> receive(std::string_view bytes) {
    std::string answer;
    auto plain = tls_.receive(bytes, answer);
    if (!answer.empty()) client_->send(answer);
    if (!plain) client_->reset();
    return plain;
  }

 private:
  const std::shared_ptr<server_end> client_;
  fake_tls_server tls_;
};

class secured_program final : public server_program {
 public:
  secured_program(std::shared_ptr<secured_end> end, std::unique_ptr<server_program> server)
      : end_(std::move(end)), server_(std::move(server)) {}

  void on_bytes(std::string_view bytes) override {
    const auto plain = end_->receive(bytes);
    if (plain && !plain->empty()) server_->on_bytes(*plain);
  }
  void on_closed() override { server_->on_closed(); }
  void on_left() override { server_->on_left(); }

 private:
  const std::shared_ptr<secured_end> end_;
  const std::unique_ptr<server_program> server_;
};

class fake_context final : public zklock::zookeeper::tls_context {
 public:
  std::unique_ptr<zklock::zookeeper::transport> open(const std::string&,
                                                     const std::vector<std::string>&) override {
    return zklock::test::make_fake_tls();
  }
};

} // namespace

std::unique_ptr<server_program> secure_front::accept(std::shared_ptr<server_end> client) {
  auto end = std::make_shared<secured_end>(std::move(client), static_cast<unsigned>(random_()));
  auto program = server_.accept(end);
  return program ? std::make_unique<secured_program>(std::move(end), std::move(program)) : nullptr;
}

} // namespace deterministic

// In place of the functions of the library, which the linker leaves aside.
namespace zklock::zookeeper {

void tls_context::check(const tls_options&) {}

std::shared_ptr<tls_context> tls_context::make(const tls_options&, const tls_material&) {
  return std::make_shared<deterministic::fake_context>();
}

} // namespace zklock::zookeeper
