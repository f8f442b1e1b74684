#include "testing/conformance/reply_text.hpp"

#include "testing/stat_codec.hpp"

#include <limits>
#include <set>

namespace zklock::test {

using testing::checked_reader;

std::string reply_text::operator()(std::int32_t type, std::string_view body) const {
  checked_reader in(body);
  std::string text;
  switch (type) {
  case 14:
  case 22:
    text = results(in);
    break;
  case 9:
    // Java writes some characters in another way than it has read them.
    in.take_string();
    break;
  case 107:
    text = identities(in);
    break;
  default:
    text = part(type, in);
  }
  // A reply with more bytes than expected is a difference too.
  return in.rest().empty() ? text : text + " and " + std::to_string(in.rest().size()) + " bytes";
}

std::string reply_text::part(std::int32_t type, checked_reader& in) const {
  std::string text;
  switch (type) {
  case 1:
    return std::string(in.take_string());
  case 15:
  case 19:
    text = in.take_string();
    return text + stat(in);
  case 3:
  case 5:
  case 7:
    return stat(in);
  case 4:
    text = data(in);
    return text + stat(in);
  case 6:
    text = acl(in);
    return text + stat(in);
  case 8:
    return names(in);
  case 12:
    text = names(in);
    return text + stat(in);
  default:
    return {};
  }
}

std::string reply_text::results(checked_reader& in) const {
  std::string text;
  for (;;) {
    const std::int32_t type = in.take_int();
    const bool done = in.take_bool();
    const std::int32_t error = in.take_int();
    text += '(' + std::to_string(type) + ' ' + std::to_string(error);
    if (done) return text + " end)";
    text += type == -1 ? " code " + std::to_string(in.take_int()) : ' ' + part(type, in);
    text += ')';
  }
}

std::string reply_text::stat(checked_reader& in) const {
  const testing::node_stat s = take_stat(in);
  std::string owner = std::to_string(s.ephemeral_owner);
  if (auto known = sessions_.find(s.ephemeral_owner); known != sessions_.end())
    owner = "session " + std::to_string(known->second);
  std::string text = " {c" + zxid(s.czxid) + " m" + zxid(s.mzxid) + " p" + zxid(s.pzxid) +
                     " versions " + std::to_string(s.version) + ' ' + std::to_string(s.cversion) +
                     ' ' + std::to_string(s.aversion) + " owner " + owner + " size " +
                     std::to_string(s.data_length) + " children " + std::to_string(s.num_children) +
                     '}';
  const bool created_only = s.czxid == s.mzxid;
  if (s.ctime > s.mtime || (created_only && s.ctime != s.mtime)) text += " at impossible times";
  return text;
}

std::string reply_text::zxid(std::int64_t value) const {
  return value == 0 ? "none" : std::to_string(value - base_);
}

std::string reply_text::data(checked_reader& in) const {
  const auto bytes = in.take_buffer();
  return bytes ? '"' + *bytes + '"' : "null";
}

std::string reply_text::names(checked_reader& in) const {
  // The servers list them in the order of a hash table.
  std::multiset<std::string> sorted;
  for (std::int32_t left = in.take_int(); left > 0; --left)
    sorted.emplace(in.take_string());
  std::string text = "[";
  for (const auto& name : sorted)
    text += name + ' ';
  return text + ']';
}

std::string reply_text::acl(checked_reader& in) const {
  std::multiset<std::string> sorted;
  for (std::int32_t left = in.take_int(); left > 0; --left) {
    std::string entry = std::to_string(in.take_int());
    entry.append(" ").append(in.take_string());
    entry.append(" ").append(in.take_string());
    sorted.insert(entry);
  }
  std::string text = "[";
  for (const auto& entry : sorted)
    text += entry + ", ";
  return text + ']';
}

std::string reply_text::identities(checked_reader& in) const {
  std::multiset<std::string> sorted;
  for (std::int32_t left = in.take_int(); left > 0; --left) {
    std::string entry(in.take_string());
    entry.append(" ").append(in.take_string());
    sorted.insert(entry);
  }
  std::string text;
  for (const auto& entry : sorted)
    text += entry + ", ";
  return text;
}

} // namespace zklock::test
