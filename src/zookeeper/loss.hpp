#pragma once

#include <zklock/error.hpp>

namespace zklock::zookeeper {

/// Why a connection was lost.
enum class loss {
  broken,
  /// The server has closed the connection instead of a reply to the connect request.
  refused,
  /// The server has refused a request for a reason that is not about the request.
  turned_away,
  not_zookeeper,
  tls_failed,
  certificate_refused,
  certificate_demanded,
  session_timeout_too_short,
  too_old,
  does_not_list_own,
  authentication_required,
  expired,
  authentication_failed,
};

/// Whether a server shows at the first request only that it is of no use to the client.
constexpr bool shows_at_a_request(loss how) noexcept {
  return how == loss::too_old || how == loss::authentication_required;
}

/// Whether a server takes the client, and then refuses its requests.
constexpr bool turns_away(loss how) noexcept {
  return how == loss::turned_away || shows_at_a_request(how);
}

/// Whether another attempt cannot make the server usable.
constexpr bool is_unusable(loss how) noexcept {
  return how == loss::session_timeout_too_short || shows_at_a_request(how);
}

/// The error of an acquire that times out after the loss.
constexpr errc error_of(loss how) noexcept {
  switch (how) {
  case loss::not_zookeeper:
    return errc::not_zookeeper;
  case loss::tls_failed:
    return errc::tls_failed;
  case loss::certificate_refused:
    return errc::certificate_refused;
  case loss::certificate_demanded:
    return errc::certificate_demanded;
  case loss::session_timeout_too_short:
    return errc::session_timeout_too_short;
  case loss::too_old:
    return errc::server_too_old;
  case loss::authentication_required:
    return errc::authentication_failed;
  default:
    return errc::not_connected;
  }
}

} // namespace zklock::zookeeper
