#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <string>
#include <vector>

namespace zklock::zookeeper::openssl {

/// The name of a host as TLS knows it: empty if the host is an address. Without the dot that makes
/// a name absolute.
std::string name_of_host(const std::string& host);

/// Whether a certificate is for a host, a name or an address.
bool is_for(X509* certificate, const std::string& host);

/// The names and addresses in the subjectAltName of a certificate.
std::string names_of(X509* certificate);

/// The texts of a list, with `last` before the last text.
std::string listed(const std::vector<std::string>& names, const char* last);

std::chrono::system_clock::time_point time_of(const ASN1_TIME* time);

/// The reason for which a certificate of a server is refused. `error`: a code of OpenSSL's
/// verification.
std::string refusal_of(const X509* certificate, int error);

} // namespace zklock::zookeeper::openssl
