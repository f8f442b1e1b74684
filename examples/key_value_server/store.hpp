#pragma once

#include <zklock/fencing_token.hpp>

#include <filesystem>
#include <string>

/// Values in files, which several processes share: `FOLDER/KEY/TOKEN`. The value of a key is the
/// file with the highest token. A file lock makes each step of a key atomic, for all processes.
///
/// The functions block on the disk, for microseconds with such small files. A store that can block
/// for longer needs a thread of its own, as in the ticket server.
class store {
 public:
  explicit store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns whether the name can be a file and a znode.
  static bool is_key(const std::string& text);

  /// Returns the value of a key; an empty value if it was never written.
  std::string read(const std::string& key) const;

  /// Presents the token of a holder, which reads after that: from then on lower tokens are refused.
  /// Returns false if a higher token has been presented.
  bool begin(const std::string& key, zklock::fencing_token token);

  /// Writes the value of a key, after `begin` with this token. Returns false where a higher
  /// token has been presented meanwhile: nothing is written then.
  bool write(const std::string& key, const std::string& value, zklock::fencing_token token);

 private:
  std::filesystem::path folder_;
};
