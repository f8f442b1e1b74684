#include "testing/conformance/random_requests.hpp"

#include <zklock/testing/operation.hpp>

#include <array>
#include <string_view>

namespace zklock::test {
namespace {

using detail::jute_writer;
using testing::operation;
using namespace std::literals;

constexpr std::int32_t check_watches = 17;
constexpr std::int32_t whoami = 107;

std::int32_t number(operation kind) {
  return static_cast<std::int32_t>(kind);
}

void put_access(jute_writer& out, std::int32_t permissions, std::string_view scheme,
                std::string_view id) {
  out.put_int(permissions);
  out.put_string(scheme);
  out.put_string(id);
}

void put_part(jute_writer& out, std::int32_t type, bool done) {
  out.put_int(type);
  out.put_bool(done);
  out.put_int(-1);
}

} // namespace

random_request random_requests::next() {
  random_request request;
  jute_writer out;
  const std::uint32_t choice = below(100);
  if (choice < 45)
    put_write(request, out);
  else if (choice < 60)
    put_multi(request, out);
  else if (choice < 63)
    put_multi_read(request, out);
  else
    put_read(request, out);
  request.body = out.bytes();
  return request;
}

std::string random_requests::path() {
  if (below(20) == 0) return odd_path();
  if (!remembered_.empty() && below(3) == 0)
    return remembered_[below(static_cast<std::uint32_t>(remembered_.size()))];
  std::string result = directory_;
  for (std::uint32_t depth = 1 + below(3); depth != 0; --depth)
    result.append("/").append(1, static_cast<char>('a' + below(3)));
  return result;
}

std::string random_requests::odd_path() {
  const std::array odd{""s,
                       "a"s,
                       "//"s,
                       directory_,
                       directory_ + '/',
                       directory_ + "//a",
                       directory_ + "/./a",
                       directory_ + "/a/..",
                       directory_ + "/\x01",
                       directory_ + "/\xff",
                       directory_ + "/a\0b"s,
                       directory_ + "/\u00e9\u20ac",
                       directory_ + "/\uf000",
                       directory_ + "/\U0001F600",
                       "/zookeeper"s,
                       "/zookeeper/config"s};
  return odd[below(odd.size())];
}

std::int32_t random_requests::version() {
  return below(2) == 0 ? -1 : static_cast<std::int32_t>(below(4));
}

void random_requests::put_data(jute_writer& out) {
  if (below(10) == 0)
    out.put_buffer({});
  else
    out.put_string(std::string(below(4), 'x'));
}

void random_requests::put_acl(jute_writer& out) {
  switch (below(32)) {
  case 0:
    return out.put_int(0);
  case 1:
    out.put_int(1);
    return put_access(out, 1, "world", "anyone");
  case 2:
    out.put_int(1);
    return put_access(out, 31, "auth", "");
  case 3:
    out.put_int(1);
    return put_access(out, 31, "ip", "127.0.0.1");
  case 4:
    out.put_int(1);
    return put_access(out, 31, "ip", "10.0.0.0/8");
  case 5:
    out.put_int(1);
    return put_access(out, 31, "ip", "10.0.0.0/33");
  case 6:
    out.put_int(1);
    return put_access(out, 31, "digest", "ann:x");
  case 7:
    out.put_int(1);
    return put_access(out, 31, "digest", "ann");
  case 8:
    out.put_int(1);
    return put_access(out, 31, "unknown", "x");
  case 9:
    out.put_int(1);
    return put_access(out, 31, "world", "someone");
  case 10:
    // An entry twice, and an entry of another scheme.
    out.put_int(3);
    put_access(out, 5, "world", "anyone");
    put_access(out, 5, "world", "anyone");
    return put_access(out, 31, "auth", "");
  default:
    out.put_int(1);
    return put_access(out, 31, "world", "anyone");
  }
}

void random_requests::put_create(random_request& request, jute_writer& out) {
  constexpr std::array kinds{operation::create, operation::create2, operation::create_container};
  const operation kind = kinds[below(10) == 0 ? 2 : below(2)];
  std::int32_t flags = below(12) == 0 ? static_cast<std::int32_t>(below(10)) - 1
                                      : static_cast<std::int32_t>(below(4));
  if (kind == operation::create_container && below(3) != 0) flags = 4;
  request.type = number(kind);
  request.path = path();
  // Sequential names often have no prefix.
  if ((flags == 2 || flags == 3) && below(2) == 0) request.path += '/';
  request.text = "create " + std::to_string(request.type) + " flags " + std::to_string(flags) +
                 ' ' + request.path;
  out.put_string(request.path);
  put_data(out);
  put_acl(out);
  out.put_int(flags);
}

void random_requests::put_write(random_request& request, jute_writer& out) {
  const std::uint32_t choice = below(20);
  if (choice < 10) return put_create(request, out);
  request.path = path();
  out.put_string(request.path);
  if (choice == 19) {
    request.type = number(operation::set_acl);
    put_acl(out);
  } else if (choice < 15) {
    request.type = number(operation::remove);
  } else {
    request.type = number(operation::set_data);
    put_data(out);
  }
  const std::int32_t wanted = version();
  out.put_int(wanted);
  request.text = "write " + std::to_string(request.type) + " version " + std::to_string(wanted) +
                 ' ' + request.path;
}

void random_requests::put_multi(random_request& request, jute_writer& out) {
  request.type = number(operation::multi);
  request.text = "multi:";
  for (std::uint32_t left = below(5); left != 0; --left) {
    random_request part;
    jute_writer body;
    if (below(5) == 0) {
      part.type = number(operation::check);
      part.text = "check " + (part.path = path());
      body.put_string(part.path);
      body.put_int(version());
    } else {
      do {
        body = {};
        put_write(part, body);
      } while (part.type == number(operation::set_acl));
    }
    put_part(out, part.type, false);
    out.put_raw(body.bytes());
    request.text += ' ' + part.text + ';';
  }
  put_part(out, -1, true);
}

void random_requests::put_multi_read(random_request& request, jute_writer& out) {
  request.type = number(operation::multi_read);
  request.text = "reads:";
  for (std::uint32_t left = 1 + below(3); left != 0; --left) {
    const std::int32_t type = number(below(2) == 0 ? operation::get_data : operation::get_children);
    const std::string of = path();
    put_part(out, type, false);
    out.put_string(of);
    out.put_bool(false);
    request.text += ' ' + std::to_string(type) + ' ' + of;
  }
  put_part(out, -1, true);
}

void random_requests::put_read(random_request& request, jute_writer& out) {
  constexpr std::array kinds{operation::exists,        operation::get_data, operation::get_children,
                             operation::get_children2, operation::get_acl,  operation::sync,
                             operation::remove_watches};
  const std::uint32_t choice = below(20);
  if (choice == 19) {
    request.type = whoami;
    request.text = "whoami";
    return;
  }
  request.type = choice < 16 ? number(kinds[choice / 4]) : number(kinds[choice - 12]);
  if (choice == 18 && below(2) == 0) request.type = check_watches;
  request.path = path();
  out.put_string(request.path);
  if (choice < 16) {
    request.watch = below(2) == 0;
    out.put_bool(request.watch);
  } else if (choice == 18) {
    out.put_int(static_cast<std::int32_t>(1 + below(3)));
  }
  request.text = "read " + std::to_string(request.type) + (request.watch ? " with watch " : " ") +
                 request.path;
}

} // namespace zklock::test
