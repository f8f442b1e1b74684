#pragma once

#include "testing/checked_reader.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace zklock::test {

/// Turns replies into texts that do not depend on the server: zxids are counted from the beginning
/// of the script, sessions by their order, and times are only checked.
class reply_text {
 public:
  /// Sets the zxid from which all further zxids are counted.
  void set_base(std::int64_t zxid) { base_ = zxid; }
  void add_session(std::int64_t id) { sessions_.emplace(id, sessions_.size() + 1); }

  /// Returns the body of the reply to a request of this type.
  std::string operator()(std::int32_t type, std::string_view body) const;

 private:
  std::string stat(testing::checked_reader& in) const;
  std::string data(testing::checked_reader& in) const;
  std::string names(testing::checked_reader& in) const;
  std::string acl(testing::checked_reader& in) const;
  std::string identities(testing::checked_reader& in) const;
  std::string results(testing::checked_reader& in) const;
  std::string part(std::int32_t type, testing::checked_reader& in) const;
  std::string zxid(std::int64_t value) const;

  std::int64_t base_ = 0;
  std::map<std::int64_t, std::size_t> sessions_;
};

} // namespace zklock::test
