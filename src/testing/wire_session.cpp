#include "testing/wire_session.hpp"

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/session_password.hpp"

namespace zklock::testing {

std::string wire_session::receive(deadline until) {
  std::string length = socket_.read(4, until);
  std::int32_t size = checked_reader(length).take_int();
  if (size < 0 || size > 64 * 1024 * 1024)
    throw error("the server does not speak ZooKeeper's protocol");
  return socket_.read(static_cast<std::size_t>(size), until);
}

connect_response wire_session::receive_connect_response(deadline until) {
  std::string answer = receive(until);
  checked_reader in(answer);
  in.take_int();
  connect_response result;
  result.timeout = std::chrono::milliseconds(in.take_int());
  result.session_id = in.take_long();
  return result;
}

std::string connect_frame(std::int64_t session_id, std::chrono::milliseconds timeout) {
  session_password password{};
  if (session_id != 0) password = password_of(session_id);
  detail::jute_writer out;
  out.put_int(0);
  out.put_long(0);
  out.put_int(static_cast<std::int32_t>(timeout.count()));
  out.put_long(session_id);
  out.put_string({reinterpret_cast<const char*>(password.data()), password.size()});
  out.put_bool(false);
  return out.framed();
}

std::string request_frame(std::int32_t xid, std::int32_t operation, std::string_view body) {
  detail::jute_writer out;
  out.put_int(xid);
  out.put_int(operation);
  out.put_raw(body);
  return out.framed();
}

} // namespace zklock::testing
