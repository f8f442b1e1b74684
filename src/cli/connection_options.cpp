#include "cli/connection_options.hpp"

#include "cli/failure.hpp"
#include "cli/text.hpp"

#include <boost/program_options/value_semantic.hpp>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <sstream>

namespace zklock::cli {

namespace {

// Of a file with credentials, in bytes: hundreds of them fit.
constexpr std::size_t longest_file = 64 * 1024;

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// No message has the text itself: it may be a secret.
credential parse_credential(const std::string& text, const std::string& where = "") {
  const auto colon = text.find(':');
  if (colon == 0 || colon == text.npos)
    throw usage_error("invalid credential" + where +
                      ": must be SCHEME:SECRET, such as digest:user:password");
  credential parsed{.scheme = text.substr(0, colon), .secret = text.substr(colon + 1)};
  if (parsed.scheme == "digest" && parsed.secret.find(':') == text.npos)
    throw usage_error("invalid credential" + where + ": a digest must be digest:USER:PASSWORD");
  // Of a file that became a variable. The library says so too, but not where.
  if (text.find_first_of("\r\n") != text.npos)
    throw usage_error("invalid credential" + where + ": must not have a line end");
  return parsed;
}

// A folder can be opened, but not read. A file without an end, such as a device, is read in part.
std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string text(longest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in)
    throw usage_error("invalid credentials in " + printable(name) + ": must be " +
                      std::to_string(longest_file) + " bytes at most");
  if (!in.eof()) throw usage_error("cannot read the credentials in " + printable(name));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::vector<credential> read_credentials(const std::string& file) {
  std::istringstream in(read_file(file));
  std::vector<credential> found;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && !line.starts_with('#'))
      found.push_back(
          parse_credential(line, " in line " + std::to_string(number) + " of " + printable(file)));
  }
  return found;
}

} // namespace

boost::program_options::options_description connection_options::describe() {
  namespace options = boost::program_options;
  options::options_description known("Connection");
  auto add = known.add_options();
  // The help shows the variable where the option has no other default.
  const auto add_with_variable = [&add](const char* name, std::string& value, const char* kind,
                                        const char* variable, const char* text) {
    const bool has_default = !value.empty();
    value = from_environment(variable, value);
    add(name,
        options::value(&value)->value_name(kind)->default_value(value,
                                                                has_default ? value : variable),
        text);
  };
  add_with_variable(
      "servers", servers_, "LIST", "ZKLOCK_SERVERS",
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
  add_with_variable(
      "auth-file", credentials_file_, "FILE", "ZKLOCK_AUTH_FILE",
      "a file with credentials, one a line, such as digest:user:password; the environment variable "
      "ZKLOCK_AUTH_FILE sets the default, and ZKLOCK_AUTH holds one credential");
  add("auth", options::value(&credentials_)->value_name("SCHEME:SECRET"),
      "a credential that other users of the machine may see; can be given more than once");
  add_with_variable(
      "tls-ca", authorities_, "FILE", "ZKLOCK_TLS_CA",
      "connect by TLS, to servers whose certificates these authorities have signed (PEM); 'system' "
      "stands for those of the system");
  add_with_variable("tls-cert", certificate_, "FILE", "ZKLOCK_TLS_CERT",
                    "the certificate to connect by TLS with (PEM)");
  add_with_variable("tls-key", key_, "FILE", "ZKLOCK_TLS_KEY",
                    "its key, where it is not in the file of the certificate; the environment "
                    "variable ZKLOCK_TLS_PASSPHRASE decrypts it");
  return known;
}

client_options connection_options::make() const {
  client_options result{.servers = servers_,
                        .session_timeout = session_timeout_.milliseconds(),
                        .identity = identity_,
                        .server_tick = server_tick_.milliseconds(),
                        .connect_timeout = connect_timeout_.milliseconds()};
  if (!credentials_file_.empty()) result.credentials = read_credentials(credentials_file_);
  if (const auto secret = from_environment("ZKLOCK_AUTH", ""); !secret.empty())
    result.credentials.push_back(parse_credential(secret, " in ZKLOCK_AUTH"));
  for (const auto& each : credentials_)
    result.credentials.push_back(parse_credential(each));
  if (authorities_.empty() && certificate_.empty() && key_.empty()) return result;
  auto& tls = result.tls.emplace();
  if (authorities_ != "system") tls.authorities.file = authorities_;
  tls.certificate.file = certificate_;
  tls.key.file = key_;
  tls.passphrase = from_environment("ZKLOCK_TLS_PASSPHRASE", "");
  return result;
}

} // namespace zklock::cli
