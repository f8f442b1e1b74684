#pragma once

#include <functional>
#include <string>

namespace zklock {

/// PEM text: the contents of a file, or a given text. Both members empty: there is no text. Both
/// given: the option is refused.
struct pem_source {
  /// The path of a regular file of at most 4 MiB. The file is read on the client's strand, so it
  /// should be on a local file system.
  std::string file{};
  /// The text itself.
  std::string text{};
};

/// Certificates and keys as PEM text, from `tls_options::provider`.
struct tls_certificates {
  /// As `tls_options::authorities`.
  std::string authorities{};
  /// As `tls_options::certificate`.
  std::string certificate{};
  /// As `tls_options::key`.
  std::string key{};
  /// As `tls_options::passphrase`.
  std::string passphrase{};
  /// As `tls_options::revoked`.
  std::string revoked{};
};

/// A version of TLS.
enum class tls_version {
  /// TLS 1.2.
  v1_2,
  /// TLS 1.3. ZooKeeper 3.8.0 accepts it only if `ssl.ciphersuites` of the server has its cipher
  /// suites (ZOOKEEPER-4415).
  v1_3,
};

/// How a client speaks TLS to the servers' secure port (`secureClientPort`).
///
/// The client reads the files, or calls the provider, before each attempt to connect. So it uses a
/// rotated certificate at its next connection, without a restart; a connection that exists is not
/// affected. If the new certificates cannot be used, the client goes on with the certificates
/// before, and logs the reason once for each outage. A key of another certificate counts as such:
/// so the files of a certificate and of its key can be replaced in turn.
///
/// The client resumes TLS sessions, and accepts new keys of TLS 1.3. It refuses renegotiation.
struct tls_options {
  /// The authorities that sign the servers' certificates. A certificate that is no authority's is
  /// trusted itself. Empty: the authorities of the system, which OpenSSL finds.
  pem_source authorities{};

  /// The certificate of the client, followed by the certificates between it and its authority. For
  /// servers that demand a certificate (`ssl.clientAuth=need`), and for access rules of the scheme
  /// `x509`. Empty: the client has no certificate.
  pem_source certificate{};

  /// The key of the client's certificate. Empty: the key is in the text of the certificate.
  pem_source key{};

  /// The passphrase of an encrypted key.
  std::string passphrase{};

  /// Lists of revoked certificates (CRLs). If there is any, the authority of each server's
  /// certificate must have a list that has not expired. Empty: revocation is not checked.
  pem_source revoked{};

  /// Whether the certificate of a server must be for the server: its `subjectAltName` must have the
  /// host name or the address by which `client_options::servers` names the server. The subject of
  /// a certificate is not looked at. `false`: any certificate of an authority will do.
  bool verify_names = true;

  /// The name or address that every server's certificate must be for, in place of the server's own
  /// name. The client also tells this name to the servers (SNI). Empty: each server's own name.
  std::string server_name{};

  /// The oldest version of TLS that the client accepts.
  tls_version min_version = tls_version::v1_2;

  /// The ciphers for TLS 1.2, as OpenSSL's list: names separated by colons. Empty: OpenSSL's
  /// default.
  std::string ciphers{};

  /// The cipher suites for TLS 1.3, separated by colons. Empty: OpenSSL's default.
  std::string cipher_suites{};

  /// Returns certificates and keys on demand, for example from a secret store, in place of
  /// `authorities`, `certificate`, `key`, `passphrase` and `revoked`, which must be empty then. The
  /// function is called on the client's strand (see @ref executors) before each attempt to
  /// connect, and not in the constructor of the client. It must not block. An exception counts as
  /// certificates that cannot be used; the log has its text. Until the function has returned usable
  /// certificates once, attempts to connect fail with `errc::tls_failed`.
  std::function<tls_certificates()> provider{};
};

} // namespace zklock
