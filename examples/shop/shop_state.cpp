// The state of the shop as the page shows it.

#include "identity.hpp"
#include "shop.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <exception>
#include <sstream>

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::string hexadecimal(std::int64_t session) {
  std::ostringstream text;
  text << "0x" << std::hex << session;
  return text.str();
}

std::string token_of(const zklock::participant& entry) {
  return std::to_string(entry.token.transaction());
}

const char* name_of(server_state state) {
  switch (state) {
  case server_state::running:
    return "running";
  case server_state::paused:
    return "paused";
  default:
    return "dead";
  }
}

} // namespace

server_process* shop::server_of(const zklock::participant& entry) {
  const auto found =
      std::find_if(servers_.begin(), servers_.end(), [&entry](const server_process& each) {
        return identity_of(each.name()) == entry.identity;
      });
  return found == servers_.end() ? nullptr : &*found;
}

// Says that the lock went on after a failure; between healthy servers it does so all the time.
void shop::on_holder_changed(const queue_watch::entries& before) {
  const auto& last = before.front();
  const auto& next = queue_.line().front();
  const auto* from = server_of(last);
  const auto* to = server_of(next);
  if (from == nullptr || to == nullptr) return;
  const bool ended = from->had(hexadecimal(last.session_id));
  if (from->state() == server_state::running && !ended) return;
  log_.add("The lock went from server " + from->name() + " (token " + token_of(last) +
           ") to server " + to->name() + " with the higher token " + token_of(next) + ".");
}

json::array shop::describe_servers() const {
  json::array all;
  for (const auto& server : servers_)
    all.push_back({{"name", server.name()},
                   {"process", server.process_id()},
                   {"state", name_of(server.state())},
                   {"session", server.session()}});
  return all;
}

json::array shop::describe_queue() {
  json::array all;
  for (const auto& entry : queue_.line()) {
    const auto* server = server_of(entry);
    const auto session = hexadecimal(entry.session_id);
    const bool former = server != nullptr && (server->has_ended() || server->had(session));
    all.push_back({{"node", entry.node},
                   {"number", entry.number},
                   {"server", server != nullptr ? server->name() : ""},
                   {"identity", entry.identity},
                   {"former", former},
                   {"holds", entry.is_holder},
                   {"token", token_of(entry)},
                   {"session", session}});
  }
  return all;
}

asio::awaitable<void> shop::refresh() {
  json::object shown;
  try {
    const auto figures = co_await tickets_.figures();
    shown["stock"] = {{"number", figures.stock},
                      {"tickets", figures.tickets},
                      {"left", figures.left},
                      {"sold", figures.sold},
                      {"oversold", std::max(0, figures.sold - figures.tickets)}};
  } catch (const std::exception& e) {
    // The next look may succeed: a server can keep the database busy for long.
    shown["trouble"] = std::string("The database cannot be read: ") + e.what();
  }
  if (!queue_.trouble().empty()) shown["trouble"] = "The queue cannot be seen: " + queue_.trouble();
  shown["lock"] = with_lock_;
  shown["work_ms"] = chosen_.work.count();
  shown["tickets"] = chosen_.tickets;
  shown["can_expire"] = chosen_.zookeeper != nullptr;
  shown["waiting"] = customers_.waiting();
  shown["servers"] = describe_servers();
  shown["queue"] = describe_queue();
  shown["log"] = log_.events();
  auto text = json::serialize(shown);
  if (text == state_) co_return;
  state_ = std::move(text);
  ++version_;
}
