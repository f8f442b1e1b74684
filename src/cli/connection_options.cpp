#include "cli/connection_options.hpp"

#include "cli/failure.hpp"

#include <boost/program_options/value_semantic.hpp>

#include <cstdlib>

namespace zklock::cli {

namespace {

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

credential parse_credential(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == 0 || colon == text.npos)
    throw usage_error("invalid credential: must be SCHEME:SECRET, such as digest:user:password");
  return {.scheme = text.substr(0, colon), .secret = text.substr(colon + 1)};
}

} // namespace

boost::program_options::options_description connection_options::describe() {
  namespace options = boost::program_options;
  options::options_description known("Connection");
  auto add = known.add_options();
  add("servers",
      options::value(&servers_)->value_name("LIST")->default_value(
          from_environment("ZKLOCK_SERVERS", "127.0.0.1:2181")),
      "HOST:PORT[,HOST:PORT]...[/CHROOT]; the environment variable ZKLOCK_SERVERS sets the "
      "default");
  add("session-timeout",
      options::value(&session_timeout_)->value_name("TIME")->default_value(session_timeout_),
      "how long a lock stays taken after its holder has crashed");
  add("connect-timeout",
      options::value(&connect_timeout_)->value_name("TIME")->default_value(connect_timeout_),
      "how long to wait for a server that answers");
  add("server-tick", options::value(&server_tick_)->value_name("TIME")->default_value(server_tick_),
      "the servers' tickTime, or more");
  add("identity", options::value(&identity_)->value_name("TEXT"),
      "what other clients see of this one");
  add("auth", options::value(&credentials_)->value_name("SCHEME:SECRET"),
      "a credential, such as digest:user:password; can be given more than once. The environment "
      "variable ZKLOCK_AUTH holds one that other users of the machine do not see");
  return known;
}

client_options connection_options::make() const {
  client_options result{.servers = servers_,
                        .session_timeout = session_timeout_.milliseconds(),
                        .identity = identity_,
                        .server_tick = server_tick_.milliseconds(),
                        .connect_timeout = connect_timeout_.milliseconds()};
  if (const auto secret = from_environment("ZKLOCK_AUTH", ""); !secret.empty())
    result.credentials.push_back(parse_credential(secret));
  for (const auto& each : credentials_)
    result.credentials.push_back(parse_credential(each));
  return result;
}

} // namespace zklock::cli
