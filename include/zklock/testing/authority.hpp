#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace zklock::testing {

/// The kind of a certificate's key.
enum class key_kind {
  /// On the curve P-256.
  p256,
  /// RSA of 2,048 bits.
  rsa,
};

/// The contents of a certificate.
struct certificate_options {
  /// The common name of the subject, without `/`. On a server with TLS, a client with the
  /// certificate has the identity `CN=NAME` of the scheme `x509`.
  std::string name = "zklock";

  /// The names and addresses of the `subjectAltName`. Clients look for the name or the address of a
  /// server there.
  std::vector<std::string> hosts{};

  /// The kind of the key.
  key_kind key = key_kind::p256;

  /// The time from now until the certificate becomes valid; negative for a past time.
  std::chrono::seconds valid_from = std::chrono::hours(-1);

  /// The time from now until the certificate expires; negative for an expired certificate.
  std::chrono::seconds valid_until = std::chrono::hours(24);

  /// The passphrase that encrypts `certificate_files::key`; empty for a plain key.
  std::string passphrase{};
};

/// The files of a certificate, as PEM. They are removed with the `authority`.
struct certificate_files {
  /// The certificate.
  std::filesystem::path certificate;
  /// The key.
  std::filesystem::path key;
  /// The key and the certificate in one file, the key store of a ZooKeeper server.
  std::filesystem::path both;
};

/// An authority that signs certificates for a test, made by the program `openssl` on the `PATH`.
/// The files are in a temporary folder, which is removed even if the program is killed.
///
/// Thread safety: distinct objects are safe, a shared object is not.
class ZKLOCK_EXPORT authority {
 public:
  /// Makes the certificate of the authority. Blocks for some milliseconds. Throws `error` if the
  /// program `openssl` is missing or fails.
  explicit authority(const std::string& name = "zklock test authority");

  /// Removes all files.
  ~authority();

  /// Takes the files of `other`, which must not be used afterwards.
  authority(authority&& other) noexcept;

  /// Removes all files, and takes the files of `other`, which must not be used afterwards.
  authority& operator=(authority&& other) noexcept;

  /// Returns the file of the authority's certificate.
  std::filesystem::path certificate() const;

  /// Makes a key and a certificate. Blocks for some milliseconds, for a key of RSA for up to some
  /// seconds. Throws `error` if the program `openssl` fails.
  certificate_files issue(const certificate_options& options = {});

  /// Revokes certificates that this object has made. Returns the file of a list of all revoked
  /// certificates, which is made anew by each call. Blocks for some milliseconds. Throws `error` if
  /// the program `openssl` fails.
  std::filesystem::path revoke(const std::vector<certificate_files>& revoked);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing
