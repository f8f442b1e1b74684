// The names of a lock directory's children.
#include "client/node_path.hpp"
#include "fuzz.hpp"
#include "queue/entry_name.hpp"
#include "queue/lock_policy.hpp"

#include <limits>
#include <string>

using namespace zklock::queue;
using zklock::fuzz::input;
using zklock::fuzz::require;

namespace {

constexpr sequence most = std::numeric_limits<std::int32_t>::max();

std::string number_text(sequence number) {
  std::string text;
  append_number(text, number);
  return text;
}

std::string prefix(session_token token, entry_id id) {
  std::string text;
  append_prefix(text, token, id, "");
  return text;
}

void check_any(std::string_view name) {
  const auto last = trailing_number(name);
  require(last >= -1, "a trailing number is below -1");
  require(last < 0 || name.ends_with(number_text(last)), "a trailing number is another one");
  const auto parsed = parse_entry_name(name);
  require(!parsed || name.ends_with(number_text(parsed->number)),
          "the number of an entry is not the one in its name");
  if (!is_of_zklock(name)) {
    require(!parsed || !parsed->has_id, "an entry of others has an id");
    return;
  }
  if (parsed) {
    require(parsed->has_id, "an entry of zklock has no id");
    require(name.starts_with(prefix(parsed->token, parsed->id)),
            "a name is taken for zklock's, which writes it in another way");
  }
}

void check_own(input& in) {
  const session_token token{in.take<std::uint64_t>()};
  const auto id = in.take<std::uint64_t>();
  const auto wants = in.one_of(2) ? role::shared : role::exclusive;
  const lock_policy policy(in.one_of(2) ? lock_policy::shared : lock_policy::exclusive);
  const sequence number = in.take<std::int32_t>();
  std::string path;
  zklock::detail::append_entry_path(path, "/a", token, id, policy.label(wants), number);
  require(path.size() <= 2 + zklock::detail::entry_name_bytes, "a path is longer than announced");
  const auto name = zklock::detail::name_of(path);
  const auto parsed = parse_entry_name(name);
  require(parsed.has_value(), "an entry's own name is refused");
  require(parsed->has_id && parsed->number == number, "an entry has another number");
  require(parsed->wants == policy.seen_as(wants), "an entry wants something else");
  require(prefix(parsed->token, parsed->id) == prefix(token, id), "an entry has another id");
  require(!parse_permit(name, {~token.bits}), "an entry is of another session");

  const sequence other = in.take<std::int32_t>() & most;
  if (number >= 0)
    require((number < other) == (number_text(number) < number_text(other)),
            "names sort in another way than numbers");

  std::string permit;
  append_permit(permit, token, id, static_cast<std::uint32_t>(other));
  require(parse_permit(permit, parsed->token) == parsed->id, "a permit is of another entry");
  require(is_of_zklock(permit) && trailing_number(permit) == other, "a permit has another number");
  require(!parse_entry_name(permit), "a permit is taken for an entry");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_any({reinterpret_cast<const char*>(data), size});
  input in(data, size);
  check_own(in);
  return 0;
}
