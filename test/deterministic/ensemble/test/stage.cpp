#include "stage.hpp"

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/session_password.hpp"

namespace ensemble_test {

using namespace std::chrono_literals;
using zklock::detail::jute_writer;
using zklock::testing::checked_reader;

stage::stage(std::uint64_t seed, servers::ensemble_options with)
    : dice(seed),
      options(with),
      ensemble(clock, dice.next(), options,
               {.committed =
                    [this](const auto& what, const auto&) {
                      if (what.expires_session)
                        expired.emplace_back(what.proposed, what.what.session.id);
                    },
                .leads =
                    [this](int leader) {
                      leaders.push_back(leader);
                      if (on_leader) on_leader();
                    },
                .fault = [this](const std::string& what) { fault = what; }}) {
  run_until([this] {
    for (int each = 0; each != servers::replicas; ++each)
      if (ensemble.data(each).last != ensemble.newest().last) return false;
    return ensemble.leader() >= 0;
  });
  run_for(1s);
}

bool stage::run_until(const std::function<bool()>& condition) {
  for (const auto end = clock.now() + 60s; clock.now() < end && !condition();)
    run_for(1ms);
  return condition();
}

client& stage::idle_client(int at) {
  auto& result =
      clients.emplace_back(client::environment{clock, dice, ensemble, options,
                                               [this](const std::string& what) { fault = what; }},
                           static_cast<int>(clients.size()), 0);
  result.use_only(at);
  result.idle();
  result.start();
  run_until([&] { return result.is_connected(); });
  run_for(5s);
  return result;
}

void wire::connect(std::int64_t session, std::int64_t last_zxid, bool right_password) {
  socket_ = socket::connect(stage_.clock, stage_.dice, stage_.ensemble.at(to_),
                            {.bytes =
                                 [this](std::string_view bytes) {
                                   raw_.append(bytes);
                                   input_.append(bytes);
                                   take();
                                 },
                             .closed = [this] { closed_ = true; }});
  const auto password = zklock::testing::password_of(session);
  std::string text(password.size(), right_password ? '\0' : '\1');
  for (std::size_t i = 0; right_password && i != text.size(); ++i)
    text[i] = static_cast<char>(password[i]);
  jute_writer out;
  out.put_int(0);
  out.put_long(last_zxid);
  out.put_int(6000);
  out.put_long(session);
  out.put_string(text);
  out.put_bool(false);
  socket_->send(out.framed());
  stage_.run_until([this] { return answered_ || closed_; });
}

void wire::take() {
  while (input_.size() >= 4) {
    const auto size = checked_reader(input_).take_int();
    if (size < 0 || input_.size() < 4 + static_cast<std::size_t>(size)) return;
    const auto frame = input_.substr(4, static_cast<std::size_t>(size));
    input_.erase(0, 4 + frame.size());
    checked_reader in(frame);
    if (answered_) {
      const auto xid = in.take_int();
      in.take_long();
      const auto error = in.take_int();
      replies_.push_back({xid, error, std::string(in.rest())});
      continue;
    }
    in.take_int();
    in.take_int();
    session_ = in.take_long();
    answered_ = true;
  }
}

void wire::send(std::int32_t xid, std::int32_t type, const std::string& body) {
  jute_writer out;
  out.put_int(xid);
  out.put_int(type);
  out.put_raw(body);
  socket_->send(out.framed());
}

void wire::create(std::int32_t xid, const std::string& path, std::int32_t flags,
                  std::int32_t type) {
  jute_writer out;
  out.put_string(path);
  out.put_string("");
  out.put_int(1);
  out.put_int(31);
  out.put_string("world");
  out.put_string("anyone");
  out.put_int(flags);
  send(xid, type, out.bytes());
}

void wire::remove(std::int32_t xid, const std::string& path) {
  jute_writer out;
  out.put_string(path);
  out.put_int(-1);
  send(xid, 2, out.bytes());
}

} // namespace ensemble_test
