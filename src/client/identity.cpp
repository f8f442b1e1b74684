#include "client/identity.hpp"

#include "client/release_request.hpp"
#include "zookeeper/path_check.hpp"

namespace zklock::detail {

std::string fault_of_identity(std::string_view text) {
  if (text.size() > longest_identity)
    return "invalid identity of " + std::to_string(text.size()) +
           " bytes: must not be longer than " + std::to_string(longest_identity);
  if (!zookeeper::is_utf8(text)) return "invalid identity: must be UTF-8";
  if (parse_release_request(text))
    return "invalid identity: must not begin with the line " + std::string(release_request_line) +
           ", which stands for a release request";
  return {};
}

queue::identity_pointer own_identity(const client_options& options, std::string_view text) {
  if (text.empty() || text == options.identity) return nullptr;
  return std::make_shared<const std::string>(text);
}

} // namespace zklock::detail
