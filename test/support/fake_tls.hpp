#pragma once

#include "zookeeper/record_layer.hpp"
#include "zookeeper/tls_transport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::test {

/// A protocol with the traits of TLS that matter to its neighbours, without secrets: a handshake of
/// several rounds, records that do not end where messages end, new keys that must be confirmed, and
/// an end that is told.
///
/// A record is its length in two bytes, its kind, and its contents, of which no byte is as it was.
struct fake_record {
  enum class kind : char { handshake = 'h', data = 'd', new_key = 'k', end = 'e' };

  kind is;
  std::string text;
};

inline std::string encoded(fake_record::kind is, std::string text) {
  for (char& each : text)
    each = static_cast<char>(each ^ 0x5a);
  const auto size = text.size();
  return std::string{static_cast<char>(size >> 8), static_cast<char>(size & 0xff),
                     static_cast<char>(is)} +
         text;
}

/// Bytes that have arrived, as records.
class fake_records {
 public:
  void add(std::string_view bytes) { bytes_.append(bytes); }

  /// Removes and returns the next record; nothing while it is incomplete.
  std::optional<fake_record> next() {
    constexpr std::size_t header = 3;
    if (bytes_.size() < header) return std::nullopt;
    const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(bytes_[i]); };
    const std::size_t size = std::size_t{byte(0)} << 8 | byte(1);
    if (bytes_.size() < header + size) return std::nullopt;
    fake_record found{static_cast<fake_record::kind>(bytes_[2]), bytes_.substr(header, size)};
    bytes_.erase(0, header + size);
    for (char& each : found.text)
      each = static_cast<char>(each ^ 0x5a);
    return found;
  }

 private:
  std::string bytes_;
};

/// The messages of a handshake of each side, as long as messages with certificates.
inline constexpr int fake_rounds = 2;
inline const std::string fake_hello(700, 'h');

/// The client's side.
class fake_record_layer final : public zookeeper::record_layer {
 public:
  bool shake_hands() noexcept override {
    if (sent_ == 0) say();
    while (!is_shaken()) {
      const auto record = arrived_.next();
      if (!record) return false;
      if (record->is != fake_record::kind::handshake || record->text != fake_hello)
        fail("it does not shake hands");
      ++received_;
      if (sent_ < fake_rounds) say();
    }
    return true;
  }

  void take(std::span<const char> bytes) noexcept override {
    arrived_.add({bytes.data(), bytes.size()});
  }

  std::size_t read(std::span<char> to) noexcept override {
    while (plain_.empty()) {
      auto record = arrived_.next();
      if (!record) return 0;
      if (record->is == fake_record::kind::end) has_ended_ = true;
      if (record->is == fake_record::kind::data) plain_ = std::move(record->text);
      if (record->is == fake_record::kind::handshake) fail("it shakes hands again");
      if (record->is == fake_record::kind::new_key) ++new_keys_;
    }
    const auto size = std::min(to.size(), plain_.size());
    plain_.copy(to.data(), size);
    plain_.erase(0, size);
    return size;
  }

  void write(std::string_view text) noexcept override {
    constexpr std::size_t longest = 16 * 1024;
    // As OpenSSL does, new keys are confirmed with the next message.
    for (; new_keys_ > 0; --new_keys_)
      to_send_ += encoded(fake_record::kind::new_key, {});
    for (; !text.empty(); text.remove_prefix(std::min(longest, text.size())))
      to_send_ += encoded(fake_record::kind::data, std::string(text.substr(0, longest)));
  }

  void end() noexcept override { to_send_ += encoded(fake_record::kind::end, {}); }
  bool has_ended() const noexcept override { return has_ended_; }
  std::string_view to_send() const noexcept override { return to_send_; }
  void sent(std::size_t size) noexcept override { to_send_.erase(0, size); }
  std::optional<tls_stats> tls() const override { return std::nullopt; }

 private:
  bool is_shaken() const noexcept { return received_ == fake_rounds; }

  void say() {
    ++sent_;
    to_send_ += encoded(fake_record::kind::handshake, fake_hello);
  }

  void fail(const char* why) { record_layer::fail({zookeeper::server_fault::kind::broken, why}); }

  fake_records arrived_;
  std::string plain_;
  std::string to_send_;
  int sent_ = 0;
  int received_ = 0;
  int new_keys_ = 0;
  bool has_ended_ = false;
};

inline std::unique_ptr<zookeeper::transport> make_fake_tls() {
  return std::make_unique<zookeeper::tls_transport>(std::make_unique<fake_record_layer>());
}

/// The server's side.
class fake_tls_server {
 public:
  explicit fake_tls_server(unsigned seed) : random_(seed) {}

  /// Takes bytes of the client, and returns the plain text in them. The bytes for the client are
  /// added to `answer`. Nothing is returned once the client breaks the protocol.
  std::optional<std::string> receive(std::string_view bytes, std::string& answer) {
    arrived_.add(bytes);
    std::string plain;
    while (auto record = arrived_.next()) {
      switch (record->is) {
      case fake_record::kind::handshake:
        if (rounds_ == fake_rounds || record->text != fake_hello) return std::nullopt;
        ++rounds_;
        answer += encoded(fake_record::kind::handshake, fake_hello);
        break;
      case fake_record::kind::data:
        if (rounds_ != fake_rounds) return std::nullopt;
        plain += record->text;
        break;
      case fake_record::kind::new_key:
        if (keys_-- == 0) return std::nullopt;
        break;
      case fake_record::kind::end:
        break;
      default:
        return std::nullopt;
      }
    }
    return plain;
  }

  /// Returns the records of a text, each of a random size, with new keys between them.
  std::string send(std::string_view plain) {
    constexpr std::array<std::size_t, 6> sizes{1, 1, 2, 7, 100, 16 * 1024};
    const auto most = sizes[random_() % sizes.size()];
    std::string bytes;
    for (; !plain.empty(); plain.remove_prefix(std::min(most, plain.size()))) {
      bytes += encoded(fake_record::kind::data, std::string(plain.substr(0, most)));
      if (random_() % 16 != 0) continue;
      ++keys_;
      bytes += encoded(fake_record::kind::new_key, {});
    }
    return bytes;
  }

  static std::string end() { return encoded(fake_record::kind::end, {}); }

 private:
  std::minstd_rand random_;
  fake_records arrived_;
  int rounds_ = 0;
  // The new keys that the client has not confirmed.
  int keys_ = 0;
};

} // namespace zklock::test
