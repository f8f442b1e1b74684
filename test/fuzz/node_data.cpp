// The data of participants' nodes: identities and release requests, and their text in the output
// of the command.
#include "cli/lock_text.hpp"
#include "cli/nested_identity.hpp"
#include "cli/text.hpp"
#include "cli/top/fitted_text.hpp"
#include "fuzz.hpp"
#include "inspect/description.hpp"
#include "zookeeper/path_check.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <clocale>
#include <string>

using namespace zklock;
using fuzz::input;
using fuzz::require;

namespace {

void check_request(std::string_view data) {
  const auto found = detail::parse_release_request(data);
  require(found.has_value() == (data == "__REVOKE__" || data.starts_with("__REVOKE__\n")),
          "a release request is its first line");
  if (!found) return;
  require(found->requester.find('\n') == std::string::npos, "a requester has several lines");
  const auto again = detail::parse_release_request(
      detail::compose_release_request(found->requester, found->identity));
  require(again && again->requester == found->requester && again->identity == found->identity,
          "a release request does not come back as it went");
}

void check_outer_sessions(std::string_view identity) {
  const auto found = cli::outer_sessions_of(identity);
  // More need not fit.
  require(found.size() > 100 || cli::outer_sessions_of(cli::nested_identity("run", found)) == found,
          "the sessions of the outer runs do not come back as they went");
}

// The form that printable texts promise: well-formed, and nothing that acts on a terminal.
void check_shown(const std::string& text) {
  require(zookeeper::is_utf8(text), "a shown text is malformed");
  require(!fuzz::has_control(text), "a shown text has a control character");
  for (std::size_t at = text.find('\xc2'); at != text.npos; at = text.find('\xc2', at + 1))
    require(static_cast<unsigned char>(text[at + 1]) >= 0xa0, "a shown text has a C1 control");
}

void check_columns(const std::string& shown, std::size_t columns) {
  for (const auto& cut : {cli::cut_end(shown, columns), cli::cut_middle(shown, columns)}) {
    check_shown(cut);
    require(cli::columns_of(cut) <= columns, "a text is not cut to its columns");
  }
  check_shown(cli::padded(shown, columns));
  require(cli::columns_of(cli::padded(shown, columns)) >= columns, "a text is not padded");
  std::string joined;
  for (const auto& line : cli::wrapped(shown, columns))
    joined += line;
  require(joined == shown, "a wrapped text has lost something");
}

participant described(input& in, std::string_view data) {
  zookeeper::reply node;
  node.data = data;
  node.created = in.take<std::int64_t>();
  node.czxid = in.take<std::int64_t>();
  node.ephemeral_owner = in.take<std::int64_t>();
  participant one{.node = "/locks/a/" + std::string(in.text())};
  one.number = in.take<std::int64_t>();
  one.is_holder = in.one_of(2);
  detail::describe(one, node);
  return one;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The locale has the widths of characters.
  static const auto* const locale = std::setlocale(LC_CTYPE, "C.UTF-8");
  require(locale != nullptr, "there is no locale C.UTF-8");
  input in(data, size);
  const auto columns = in.below(40);
  const std::string other(in.text());
  const std::string text(in.text());
  check_request(text);
  check_outer_sessions(text);
  const auto composed = detail::compose_release_request(other, text);
  check_request(composed);

  const auto one = described(in, in.one_of(2) ? composed : text);
  require(cli::age_of(one) >= std::chrono::nanoseconds::zero(), "an age is negative");
  check_shown(cli::age_text(cli::age_of(one)));
  check_shown(cli::describe(one));
  check_shown(cli::printable(text));
  require(zookeeper::is_utf8(cli::well_formed(text)), "a text is not made well-formed");
  require(!zookeeper::is_utf8(text) || cli::well_formed(text) == text, "a good text is changed");
  check_columns(cli::printable(text), columns);

  found_lock lock{.path = "/locks/" + other, .type = lock_type::mutex, .participants = {one}};
  for (const auto& object : {cli::to_json(one), cli::to_json(lock)}) {
    const auto line = boost::json::serialize(object);
    require(line.find_first_of("\n\r\x1b") == line.npos, "JSON is not one line");
    require(boost::json::parse(line).as_object() == object, "JSON does not come back as it went");
  }
  return 0;
}
