#include "testing/conformance/player.hpp"

#include <zklock/testing/operation.hpp>

#include "support/stat_of.hpp"

#include <algorithm>
#include <chrono>

namespace zklock::test {
namespace {

using detail::jute_writer;
using testing::checked_reader;
using testing::operation;
using testing::raw_client;
using namespace std::chrono_literals;

constexpr std::size_t session_count = 3;

void put_paths(jute_writer& out, const std::set<std::string>& paths) {
  out.put_int(static_cast<std::int32_t>(paths.size()));
  for (const auto& path : paths)
    out.put_string(path);
}

} // namespace

player::player(stage server, std::uint64_t seed)
    : server_(std::move(server)), requests_(seed, "/script-" + std::to_string(seed)) {
  for (std::size_t i = 0; i != session_count; ++i)
    sessions_.push_back(begin());
  raw_client& first = sessions_.front().client;
  first.create(requests_.directory());
  text_.set_base(stat_of(first, requests_.directory()).czxid);
}

player::session player::begin() {
  session result{raw_client(server_.address)};
  text_.add_session(result.client.session_id());
  return result;
}

std::vector<std::string> player::play(int steps) {
  std::vector<std::string> lines;
  for (int i = 0; i != steps; ++i)
    lines.push_back(step());
  return lines;
}

std::string player::step() {
  const std::uint32_t number = requests_.below(session_count);
  session& by = sessions_[number];
  std::string line = "session " + std::to_string(number + 1) + ' ';
  const std::uint32_t choice = requests_.below(100);
  const bool ends = choice < 2;
  if (ends) {
    line += replace(by);
  } else if (choice < 5) {
    line += reconnect(by);
  } else if (choice < 7) {
    by.client.add_auth("digest", requests_.below(2) == 0 ? "ann:secret" : "bob:secret");
    line += "adds credentials";
  } else {
    line += send(by, requests_.next());
  }
  line += take_events(ends);
  return line;
}

std::string player::send(session& by, const random_request& request) {
  int error = 0;
  std::string reply;
  try {
    const std::string body = by.client.request(request.type, request.body);
    reply = text_(request.type, body);
    if (request.type == static_cast<std::int32_t>(operation::create) ||
        request.type == static_cast<std::int32_t>(operation::create2))
      requests_.remember(std::string(checked_reader(body).take_string()));
  } catch (const testing::server_error& e) {
    error = e.code();
  }
  if (request.watch) {
    const bool looks = request.type == static_cast<std::int32_t>(operation::exists);
    if (error == 0 && (looks || request.type == static_cast<std::int32_t>(operation::get_data)))
      by.data.insert(request.path);
    else if (error == 0)
      by.children.insert(request.path);
    else if (looks && error == -101)
      by.exist.insert(request.path);
  }
  return request.text + " -> " + std::to_string(error) + ' ' + reply;
}

std::string player::take_events(bool sorted) {
  std::string text;
  for (std::size_t i = 0; i != sessions_.size(); ++i) {
    // The events of earlier writes arrive before the reply.
    sessions_[i].client.ping();
    std::vector<std::string> events;
    while (auto event = sessions_[i].client.next_event(0ms)) {
      forget_watch(sessions_[i], *event);
      events.push_back(std::to_string(event->type) + ' ' + event->path);
    }
    // The servers delete a session's nodes in the order of a hash table.
    if (sorted) std::sort(events.begin(), events.end());
    for (const auto& event : events)
      text += " | " + std::to_string(i + 1) + " sees " + event;
  }
  return text;
}

void player::forget_watch(session& by, const testing::watch_event& event) {
  if (event.type != 4) {
    by.data.erase(event.path);
    by.exist.erase(event.path);
  }
  if (event.type == 2 || event.type == 4) by.children.erase(event.path);
}

std::string player::replace(session& old) {
  std::string text;
  if (requests_.below(2) == 0) {
    text = "is closed";
    old.client.close();
  } else {
    const bool expired = server_.expire(old.client.session_id());
    text = expired ? "expires" : "cannot expire";
    old.client.abandon();
  }
  old = begin();
  return text;
}

std::string player::reconnect(session& broken) {
  const std::int64_t seen = write_marker(broken);
  const std::int64_t id = broken.client.session_id();
  broken.client.abandon();
  // Another session goes on meanwhile.
  session& other = &broken == &sessions_[0] ? sessions_[1] : sessions_[0];
  std::string text = "reconnects after";
  for (std::uint32_t left = requests_.below(6); left != 0; --left)
    text += " <" + send(other, requests_.next()) + '>';
  broken.client = raw_client(server_.address, {.session_id = id});
  jute_writer out;
  out.put_long(seen);
  put_paths(out, broken.data);
  put_paths(out, broken.exist);
  put_paths(out, broken.children);
  broken.client.request(static_cast<std::int32_t>(operation::set_watches), out.bytes());
  return text;
}

std::int64_t player::write_marker(session& by) {
  const std::string marker =
      by.client.create("/marker-", "", testing::create_mode::persistent_sequential);
  const std::int64_t zxid = stat_of(by.client, marker).czxid;
  by.client.remove(marker);
  return zxid;
}

} // namespace zklock::test
