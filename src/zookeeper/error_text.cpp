#include "zookeeper/error_text.hpp"

namespace zklock::zookeeper {

namespace {

// The names in ZooKeeper's KeeperException.Code.
const char* name_of(int code) noexcept {
  switch (code) {
  case -1:
    return "system error";
  case -2:
    return "runtime inconsistency";
  case -3:
    return "data inconsistency";
  case -4:
    return "connection loss";
  case -5:
    return "marshalling error";
  case -6:
    return "unimplemented request";
  case -7:
    return "operation timeout";
  case -8:
    return "bad arguments";
  case -12:
    return "unknown session";
  case -13:
    return "no quorum of a new configuration";
  case -14:
    return "reconfiguration in progress";
  case -101:
    return "no node";
  case -102:
    return "not authenticated";
  case -103:
    return "bad version";
  case -108:
    return "no children for ephemeral nodes";
  case -110:
    return "node exists";
  case -111:
    return "not empty";
  case -112:
    return "session expired";
  case -113:
    return "invalid callback";
  case -114:
    return "invalid access control list";
  case -115:
    return "authentication failed";
  case -118:
    return "session moved";
  case -119:
    return "not read-only";
  case -120:
    return "ephemeral node in a local session";
  case -121:
    return "no such watch";
  case -122:
    return "request timeout";
  case -123:
    return "reconfiguration disabled";
  case -124:
    return "session closed, authentication required";
  case -125:
    return "quota exceeded";
  case -127:
    return "request throttled";
  default:
    return "an error without a name";
  }
}

} // namespace

std::string error_text(int code) {
  return std::string(name_of(code)) + " (ZooKeeper's error " + std::to_string(code) + ')';
}

} // namespace zklock::zookeeper
