// Paths of locks.
#include <zklock/error.hpp>

#include "client/lock_definition.hpp"
#include "client/node_path.hpp"
#include "fuzz.hpp"

#include <boost/locale/encoding_utf.hpp>
#include <boost/system/system_error.hpp>

#include <string>

using namespace zklock;
using fuzz::require;

namespace {

// ZooKeeper's PathUtils.validatePath, on characters as Java has them.
bool is_path_for_java(std::string_view bytes) {
  std::u16string path;
  try {
    path = boost::locale::conv::utf_to_utf<char16_t>(bytes.data(), bytes.data() + bytes.size(),
                                                     boost::locale::conv::stop);
  } catch (const boost::locale::conv::conversion_error&) {
    return false;
  }
  if (path.empty() || path.front() != u'/') return false;
  if (path.size() > 1 && path.back() == u'/') return false;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto c = path[i];
    if (c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0)
      return false;
  }
  if (path.size() == 1) return true;
  path += u'/';
  for (const auto* part : {u"//", u"/./", u"/../"})
    if (path.find(part) != path.npos) return false;
  return true;
}

void check_kinds(const std::string& chroot, std::string_view path) {
  for (const auto kind :
       {detail::lock_kind::exclusive, detail::lock_kind::shared, detail::lock_kind::semaphore}) {
    const auto lock = detail::make_lock_definition(chroot, path, kind);
    require(lock.given == path && lock.full == chroot + lock.given, "a lock has another path");
    std::string entry;
    detail::append_entry_path(entry, lock.line, {1}, 2, "-lock-", 3);
    for (const auto& node : {lock.full, lock.line, lock.permits, entry})
      require(detail::is_node_path(node), "a lock has a node without a valid path");
    require(queue::parse_entry_name(detail::name_of(entry)).has_value(),
            "an entry's path hides its name");
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  require(detail::is_node_path(path) == is_path_for_java(path), "the servers judge otherwise");
  bool is_accepted = true;
  try {
    detail::make_lock_definition("", path);
  } catch (const boost::system::system_error& refused) {
    is_accepted = false;
    const std::string_view why(refused.what());
    require(refused.code() == errc::bad_path, "a path is refused with another code");
    require(why.starts_with("invalid path \""), "a refusal does not name the path");
    require(!fuzz::has_control(why), "a refusal has a control character");
    require(why.size() < 1000, "a refusal is as long as the path");
  }
  const bool fits = size > 1 && size <= detail::longest_path;
  require(is_accepted == (fits && is_path_for_java(path)), "a lock's path is judged otherwise");
  if (is_accepted) check_kinds(size % 2 == 0 ? "" : "/a/b", path);
  return 0;
}
