#include "client.hpp"
#include "testing/checked_reader.hpp"
#include "testing/stat_codec.hpp"

namespace ensemble_test {

using zklock::testing::checked_reader;

namespace {

constexpr std::int32_t no_node = -101;
constexpr std::int32_t node_exists = -110;
constexpr std::int32_t session_expired = -112;

} // namespace

void client::reply(std::string_view frame) {
  checked_reader in(frame);
  const auto xid = in.take_int();
  const auto zxid = in.take_long();
  const auto error = in.take_int();
  if (xid == -1) return event(in.rest());
  if (requests_.empty() || requests_.front().xid != xid)
    return environment_.fault("a reply is out of order");
  const auto to = requests_.front();
  requests_.pop_front();
  if (zxid < last_zxid_) environment_.fault("the zxid of a reply is older than the one before");
  if (zxid > 0) last_zxid_ = zxid;
  const bool committed = (to.what == kind::create || to.what == kind::write) && error == 0;
  validity_.answered(boot_time(to.sent), boot_now(), committed);
  if (error == session_expired) return;
  answered(to, error, in.rest());
}

void client::answered(const request& to, std::int32_t error, std::string_view body) {
  checked_reader in(body);
  switch (to.what) {
  case kind::create:
    if (error != 0 && error != node_exists) environment_.fault("a node cannot be created");
    has_node_ = true;
    break;
  case kind::write:
    if (error != 0) return environment_.fault("the client's own node is gone");
    acknowledged_ = to.value;
    break;
  case kind::read_own: {
    if (error == no_node && !has_node_) return;
    const auto value = std::stoll(in.take_buffer().value_or("0"));
    if (value < acknowledged_) environment_.fault("a session does not see its own write");
    break;
  }
  case kind::read_watched: {
    if (error != 0) return;
    in.take_buffer();
    const auto mzxid = take_stat(in).mzxid;
    if (watch_ && mzxid > *watch_) environment_.fault("a change precedes its event");
    if (to.watches) watch_ = mzxid;
    break;
  }
  case kind::ping:
  case kind::set_watches:
    break;
  }
}

void client::event(std::string_view) {
  if (!watch_) environment_.fault("an event without a watch");
  watch_.reset();
  ++events_;
}

} // namespace ensemble_test
