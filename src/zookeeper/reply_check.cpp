#include "zookeeper/reply_check.hpp"

#include "zookeeper/jute_reader.hpp"
#include "zookeeper/session_options.hpp"

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;
using kind = server_fault::kind;

// Numbers of what is no reply to a request.
constexpr std::int32_t event_number = -1;
constexpr std::int32_t ping_number = -2;
constexpr std::int32_t credential_number = -4;

// The error of releases that do not know the kind of a request.
constexpr std::int32_t unknown_request = -6;

constexpr std::size_t length_size = 4;
constexpr std::size_t header_size = 16;
constexpr std::size_t stat_size = 68;
constexpr std::int32_t password_size = 16;

// Old servers leave out the byte that says whether they are read-only.
constexpr std::string_view shorter_handshake("\0\0\0\x24", 4);
constexpr std::string_view longer_handshake("\0\0\0\x25", 4);

server_fault broken(std::string text) {
  return {kind::broken, std::move(text)};
}

server_fault foreign(std::string text) {
  return {kind::not_zookeeper, std::move(text)};
}

template <class T>
void append(boost::circular_buffer<T>& to, T value) {
  if (to.full()) to.set_capacity(2 * to.capacity());
  to.push_back(value);
}

void skip(jute_reader& body, answer_shape shape) {
  switch (shape) {
  case answer_shape::path:
    return body.skip_string();
  case answer_shape::path_and_stat:
    body.skip_string();
    break;
  case answer_shape::data_and_stat:
    body.skip_data();
    break;
  case answer_shape::names_and_stat:
    body.skip_strings();
    break;
  case answer_shape::stat:
    break;
  case answer_shape::nothing:
  case answer_shape::results:
    return;
  }
  body.skip(stat_size);
}

} // namespace

reply_check::reply_check(expectations wanted)
    : wanted_(std::move(wanted)), credentials_(wanted_.credentials) {}

void reply_check::expect(std::int32_t number, answer_shape shape) {
  append(replies_, expected{number, shape, std::exchange(new_parts_, 0)});
}

void reply_check::expect_part(answer_shape shape) {
  append(parts_, shape);
  ++new_parts_;
}

std::optional<server_fault> reply_check::check_begin(std::string_view bytes) const {
  bytes = bytes.substr(0, length_size);
  if (!greeted_) {
    if (shorter_handshake.starts_with(bytes) || longer_handshake.starts_with(bytes)) return {};
    return foreign("it does not speak ZooKeeper's protocol");
  }
  if (bytes.size() < length_size) return {};
  const auto length = jute_reader(bytes).read_int();
  if (length >= static_cast<std::int32_t>(header_size) && length <= longest_frame) return {};
  return broken("it announced a message of " + std::to_string(length) + " bytes, not of " +
                std::to_string(header_size) + " to " + std::to_string(longest_frame));
}

std::optional<server_fault> reply_check::check(std::string_view frame) {
  if (!greeted_) {
    greeted_ = true;
    return check_handshake(frame);
  }
  jute_reader reader(frame.substr(0, header_size));
  const auto number = reader.read_int();
  reader.read_long();
  const auto error = reader.read_int();
  const auto body = frame.substr(header_size);
  switch (number) {
  case event_number: {
    jute_reader what(body);
    what.skip(8);
    what.skip_string();
    if (what.good()) return {};
    return broken("it sent an event that is cut short");
  }
  case ping_number:
    return {};
  case credential_number:
    if (credentials_ == 0) return broken("it answered credentials that were not sent");
    --credentials_;
    return {};
  default:
    return check_reply(number, error, body);
  }
}

std::optional<server_fault> reply_check::check_handshake(std::string_view frame) const {
  jute_reader reader(frame);
  reader.read_int();
  const milliseconds timeout{reader.read_int()};
  const auto session = reader.read_long();
  if (reader.read_int() != password_size) return foreign("it does not speak ZooKeeper's protocol");
  reader.skip(password_size);
  if (reader.read_bool() && reader.good())
    return broken("it is read-only, which was not asked for");
  // The session has expired.
  if (session == 0 && wanted_.session != 0) return {};
  if (session == 0) return foreign("it granted no session");
  if (wanted_.session != 0 && session != wanted_.session)
    return foreign("it answered with another session than was asked for");
  // A longer one the C client cannot compute with.
  if (timeout <= timeout.zero() || timeout > longest_timeout)
    return foreign("it granted a session timeout of " + std::to_string(timeout.count()) + " ms");
  const auto why = wanted_.shortcoming ? wanted_.shortcoming(timeout) : std::string();
  if (!why.empty())
    return server_fault{kind::session_timeout_too_short,
                        "it granted too short a session timeout: " + why};
  return {};
}

std::optional<server_fault> reply_check::check_reply(std::int32_t number, std::int32_t error,
                                                     std::string_view body) {
  // It overtakes the replies to earlier requests.
  if (error == unknown_request)
    return server_fault{kind::too_old,
                        "it does not know a request: it is older than ZooKeeper 3.5.0, or than "
                        "3.5.3 and cannot make containers"};
  if (replies_.empty())
    return broken("it replied to request " + std::to_string(number) + ", which was not made");
  const auto reply = replies_.front();
  if (reply.number != number)
    return broken("it replied to request " + std::to_string(number) + " instead of " +
                  std::to_string(reply.number));
  if (error == 0 && !has_shape(reply, body))
    return broken("its reply to request " + std::to_string(number) + " is cut short");
  replies_.pop_front();
  parts_.erase_begin(reply.parts);
  return {};
}

bool reply_check::has_shape(const expected& reply, std::string_view body) const {
  jute_reader reader(body);
  if (reply.shape != answer_shape::results) {
    skip(reader, reply.shape);
    return reader.good();
  }
  // Before each result, and behind the last one: its kind, whether it is the end, its error.
  constexpr std::int32_t failed = -1;
  for (std::size_t i = 0;; ++i) {
    const auto what = reader.read_int();
    const bool end = reader.read_bool();
    reader.read_int();
    if (!reader.good() || end || i == reply.parts) return reader.good() && end && i == reply.parts;
    if (what == failed)
      reader.read_int();
    else
      skip(reader, parts_[i]);
  }
}

} // namespace zklock::zookeeper
