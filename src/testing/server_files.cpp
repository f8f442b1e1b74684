#include "testing/server_files.hpp"

#include <zklock/testing/error.hpp>

#include <array>
#include <cctype>
#include <cstdio>
#include <exception>
#include <fstream>

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream out(path);
  out << content;
  if (!out.flush()) throw error("cannot write the file " + path.string());
}

/// Returns a path for a file of Java's properties, which has a syntax of its own for blanks,
/// backslashes, number signs and more, and is read as Latin-1: everything but letters, digits and
/// slashes becomes an escape.
std::string escaped(const fs::path& path) {
  std::u16string units;
  try {
    units = path.u16string();
  } catch (const std::exception&) {
    throw error("cannot start ZooKeeper: the path " + path.string() + " is not UTF-8");
  }
  std::string text;
  for (const char16_t unit : units) {
    if (unit == '/' || (unit < 0x80 && std::isalnum(static_cast<int>(unit)) != 0)) {
      text += static_cast<char>(unit);
    } else {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(unit));
      text += code.data();
    }
  }
  return text;
}

std::string lines_of(const server_tls& tls, std::uint16_t port) {
  const char* clients = "need";
  if (tls.clients == client_certificates::none) clients = "none";
  if (tls.clients == client_certificates::wanted) clients = "want";
  // By default the list of 3.8.0 has no cipher suite of TLS 1.3 (ZOOKEEPER-4415).
  return "secureClientPort=" + std::to_string(port) +
         "\nsecureClientPortAddress=127.0.0.1"
         "\nserverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory"
         "\nssl.keyStore.type=PEM\nssl.keyStore.location=" +
         escaped(fs::absolute(tls.certificate)) +
         "\nssl.trustStore.type=PEM\nssl.trustStore.location=" +
         escaped(fs::absolute(tls.authorities)) + "\nssl.clientAuth=" + clients +
         "\nssl.enabledProtocols=" + tls.protocols +
         "\nssl.ciphersuites=TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256,"
         "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,"
         "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n";
}

} // namespace

void server_files::write(const server_options& options, std::uint16_t port,
                         std::uint16_t secure_port, int id, const std::string& peers) const {
  std::error_code problem;
  for (const fs::path& needed : {data(), scratch()}) {
    fs::create_directories(needed, problem);
    if (problem)
      throw error("cannot create the folder " + needed.string() + ": " + problem.message());
  }
  std::string text = "tickTime=" + std::to_string(options.tick_time.count()) +
                     "\ndataDir=" + escaped(data()) + "\nclientPort=" + std::to_string(port) +
                     "\nclientPortAddress=127.0.0.1"
                     "\nmaxClientCnxns=" +
                     std::to_string(options.max_client_connections) +
                     "\nmaxSessionTimeout=" + std::to_string(options.max_session_timeout.count()) +
                     "\nadmin.enableServer=false"
                     "\n4lw.commands.whitelist=*\n";
  if (options.min_session_timeout.count() > 0)
    text += "minSessionTimeout=" + std::to_string(options.min_session_timeout.count()) + '\n';
  if (id != 0) {
    text += "initLimit=" + std::to_string(options.init_limit) +
            "\nsyncLimit=" + std::to_string(options.sync_limit) + '\n' + peers;
    write_file(data() / "myid", std::to_string(id) + '\n');
  }
  if (options.tls) text += lines_of(*options.tls, secure_port);
  for (const auto& line : options.configuration)
    text += line + '\n';
  write_file(configuration(), text);
}

} // namespace zklock::testing
