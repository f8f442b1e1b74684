#include <zklock/testing/error.hpp>

#include "testing/checked_reader.hpp"
#include "testing/memory/codec.hpp"

#include <utility>

namespace zklock::testing::memory {
namespace {

constexpr std::int32_t check_watches_type = 17;
constexpr std::int32_t whoami_type = 107;

std::string text(checked_reader& in) {
  return std::string(in.take_string());
}

node_data data(checked_reader& in) {
  return in.take_buffer();
}

std::vector<std::string> texts(checked_reader& in) {
  std::vector<std::string> result;
  for (std::int32_t left = in.take_int(); left > 0; --left)
    result.push_back(text(in));
  return result;
}

std::vector<access> access_list(checked_reader& in) {
  std::vector<access> result;
  for (std::int32_t left = in.take_int(); left > 0; --left) {
    access& entry = result.emplace_back();
    entry.permissions = in.take_int();
    entry.scheme = text(in);
    entry.id = text(in);
  }
  return result;
}

create_request decode_create(operation kind, checked_reader& in) {
  create_request result;
  result.kind = kind;
  result.path = text(in);
  result.data = data(in);
  result.acl = access_list(in);
  result.flags = in.take_int();
  if (kind == operation::create_ttl) result.ttl = in.take_long();
  return result;
}

/// Decodes requests that consist of a path and a version.
template <typename Request>
Request decode_versioned(checked_reader& in) {
  Request result;
  result.path = text(in);
  result.version = in.take_int();
  return result;
}

/// Decodes requests that consist of a path and whether to watch.
template <typename Request>
Request decode_watching(checked_reader& in) {
  Request result;
  result.path = text(in);
  result.watch = in.take_bool();
  return result;
}

set_data_request decode_set_data(checked_reader& in) {
  set_data_request result;
  result.path = text(in);
  result.data = data(in);
  result.version = in.take_int();
  return result;
}

set_acl_request decode_set_acl(checked_reader& in) {
  set_acl_request result;
  result.path = text(in);
  result.acl = access_list(in);
  result.version = in.take_int();
  return result;
}

get_children_request decode_get_children(checked_reader& in, bool with_stat) {
  auto result = decode_watching<get_children_request>(in);
  result.with_stat = with_stat;
  return result;
}

multi_part decode_part(operation kind, checked_reader& in) {
  switch (kind) {
  case operation::create:
  case operation::create2:
  case operation::create_container:
  case operation::create_ttl:
    return decode_create(kind, in);
  case operation::remove:
    return decode_versioned<remove_request>(in);
  case operation::set_data:
    return decode_set_data(in);
  case operation::check:
    return decode_versioned<check_request>(in);
  default:
    throw error("a transaction has a part of an unknown type");
  }
}

/// Calls `decode_one(type)` for each part, and reads the header after the last part.
template <typename DecodeOne>
void decode_parts(checked_reader& in, DecodeOne decode_one) {
  for (;;) {
    const auto kind = static_cast<operation>(in.take_int());
    const bool done = in.take_bool();
    in.take_int();
    if (done) return;
    decode_one(kind);
  }
}

multi_request decode_multi(checked_reader& in) {
  multi_request result;
  decode_parts(in, [&](operation kind) { result.parts.push_back(decode_part(kind, in)); });
  return result;
}

multi_read_request decode_multi_read(checked_reader& in) {
  multi_read_request result;
  decode_parts(in, [&](operation kind) {
    if (kind == operation::get_data)
      result.parts.emplace_back(decode_watching<get_data_request>(in));
    else if (kind == operation::get_children)
      result.parts.emplace_back(decode_get_children(in, false));
    else
      throw error("a request has a read of an unknown type");
  });
  return result;
}

auth_request decode_auth(checked_reader& in) {
  in.take_int();
  auth_request result;
  result.scheme = text(in);
  result.credentials = text(in);
  return result;
}

set_watches_request decode_set_watches(checked_reader& in) {
  set_watches_request result;
  result.relative_zxid = in.take_long();
  result.data = texts(in);
  result.exist = texts(in);
  result.children = texts(in);
  return result;
}

find_watch_request decode_find_watch(checked_reader& in, bool remove) {
  find_watch_request result;
  result.path = text(in);
  result.type = static_cast<watcher_type>(in.take_int());
  result.remove = remove;
  return result;
}

decltype(request::body) decode_body(std::int32_t type, checked_reader& in) {
  switch (static_cast<operation>(type)) {
  case operation::create:
  case operation::create2:
  case operation::create_container:
  case operation::create_ttl:
    return write_request(decode_create(static_cast<operation>(type), in));
  case operation::remove:
    return write_request(decode_versioned<remove_request>(in));
  case operation::set_data:
    return write_request(decode_set_data(in));
  case operation::set_acl:
    return write_request(decode_set_acl(in));
  case operation::multi:
    return write_request(decode_multi(in));
  case operation::close_session:
    return write_request(close_session_request());
  case operation::exists:
    return read_request(decode_watching<exists_request>(in));
  case operation::get_data:
    return read_request(decode_watching<get_data_request>(in));
  case operation::get_acl:
    return read_request(get_acl_request{text(in)});
  case operation::get_children:
    return read_request(decode_get_children(in, false));
  case operation::get_children2:
    return read_request(decode_get_children(in, true));
  case operation::get_ephemerals:
    return read_request(get_ephemerals_request{text(in)});
  case operation::multi_read:
    return read_request(decode_multi_read(in));
  case operation::ping:
    return local_request(ping_request());
  case operation::sync:
    return local_request(sync_request{text(in)});
  case operation::auth:
    return local_request(decode_auth(in));
  case operation::set_watches:
    return local_request(decode_set_watches(in));
  case operation::remove_watches:
    return local_request(decode_find_watch(in, true));
  default:
    break;
  }
  if (type == check_watches_type) return local_request(decode_find_watch(in, false));
  if (type == whoami_type) return local_request(whoami_request());
  return local_request(unsupported_request{type});
}

} // namespace

connect_request decode_connect(std::string_view frame) {
  checked_reader in(frame);
  in.take_int();
  connect_request result;
  result.last_zxid_seen = in.take_long();
  result.timeout = in.take_int();
  result.session_id = in.take_long();
  result.password = text(in);
  result.has_read_only = !in.rest().empty();
  if (result.has_read_only) result.read_only = in.take_bool();
  return result;
}

request decode(std::string_view frame) {
  checked_reader in(frame);
  request result;
  result.xid = in.take_int();
  const std::int32_t type = in.take_int();
  try {
    result.body = decode_body(type, in);
  } catch (const error&) {
    result.body = local_request(malformed_request());
  }
  return result;
}

} // namespace zklock::testing::memory
