#include "client/connection_check.hpp"

#include "client/client_impl.hpp"
#include "zookeeper/error_text.hpp"

namespace zklock::detail {

void connection_check::send() {
  client_.session().send(zookeeper::confirm{}, *this, {});
}

// A server that is overloaded answers by itself that it failed. What follows on this connection
// would prove nothing; on the next one it is asked again.
void connection_check::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  if (!zookeeper::is_committed(reply.result))
    client_.session().reject_server("it does not carry out writes: " +
                                    zookeeper::error_text(reply.error));
}

} // namespace zklock::detail
