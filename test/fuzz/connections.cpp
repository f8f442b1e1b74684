// A server that sends arbitrary bytes, to a connection with the real C client: replies are
// delivered in the order of the requests, or the connection is lost once. Each input is used twice:
// plain, and in the records of a fake TLS.
#include "fuzz.hpp"
#include "loopback.hpp"
#include "server_frames.hpp"
#include "support/fake_tls.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/error_text.hpp"
#include "zookeeper/plain_transport.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/xid.hpp"

#include <boost/asio/io_context.hpp>

#include <sys/socket.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock::zookeeper {

namespace {

using fuzz::input;
using fuzz::require;
using fuzz::server_frames;

constexpr std::int64_t session_id = 0x1234;

/// A request that was sent, and the layouts of its reply or of its parts.
struct sent {
  reply_layout layout;
  std::vector<reply_layout> parts{};
  std::string path{};
};

class scenario final : connection::listener, receiver {
 public:
  scenario(input& in, bool by_tls) : in_(in), frames_(in) {
    if (by_tls) tls_.emplace(1u);
  }

  void run() {
    set_next_xid(1);
    const bool resumes = in_.one_of(4);
    const auto credentials = in_.below(3);
    const auto shortest = in_.one_of(4) ? std::chrono::seconds(20) : std::chrono::seconds(0);
    session_options options;
    options.timeout = std::chrono::seconds(10);
    options.access_list = {{31, "world", "anyone"}};
    options.credentials.assign(credentials, {"digest", "user:password"});
    options.refuse_timeout = [shortest](std::chrono::milliseconds timeout) {
      return timeout < shortest ? "it is shorter" : "";
    };
    const introduction as{.session = {resumes ? session_id : 0, {}}};
    under_test_->attach(under_test_);
    std::unique_ptr<transport> through = std::make_unique<plain_transport>();
    if (tls_) through = test::make_fake_tls();
    under_test_->open(std::make_unique<handle>("127.0.0.1:2181", as, in_.one_of(4) ? 3 : 0, options,
                                               std::move(through)),
                      std::chrono::steady_clock::now() + std::chrono::hours(1));
    server_ = fuzz::take_server_end();
    require(server_.get() >= 0, "the C client has not connected");
    poll();
    for (int step = 0; step < 100 && !lost_ && !in_.empty(); ++step)
      act();
    close_server();
    require(lost_, "the connection survives the server");
  }

 private:
  void act() {
    if (!established_ && !in_.one_of(8)) return write(frames_.handshake(session_id));
    const auto what = in_.below(12);
    if (what < 4) return established_ ? ask() : void();
    if (what < 8) return answer();
    switch (what) {
    case 8:
      return write(frames_.event(path_));
    case 9:
      return write(in_.one_of(2) ? frames_.ping() : frames_.auth());
    case 10:
      return write(std::string(in_.text()));
    default:
      return in_.one_of(4) ? close_server() : void();
    }
  }

  void ask() {
    path_ = "/a/" + std::string(1, static_cast<char>('a' + in_.below(4)));
    const bool watch = in_.one_of(2);
    switch (in_.below(13)) {
    case 0:
      return send(create_directory{.path = path_, .container = watch}, {reply_layout::path});
    case 1:
      return send(create_entry{.path = path_, .data = "data"}, {reply_layout::path_and_stat});
    case 2:
      return send(remove{.path = path_}, {reply_layout::nothing});
    case 3:
      return send(list{.path = path_, .watch = watch}, {reply_layout::names_and_stat});
    case 4:
      return send(get{.path = path_, .watch = watch}, {reply_layout::data_and_stat});
    case 5:
      return send(exists{.path = path_, .watch = watch}, {reply_layout::stat});
    case 6:
      return send(set{.path = path_, .data = "new"}, {reply_layout::stat});
    case 7: {
      const std::vector<std::string> paths(in_.below(4), path_);
      return send(check{.paths = paths},
                  {reply_layout::results, std::vector(paths.size(), reply_layout::nothing)});
    }
    case 8:
      return send(confirm{}, {reply_layout::results});
    case 9:
      if (under_test_->open_handle()->requests().remove_watch(path_, watch ? watch_kind::node
                                                                           : watch_kind::children))
        note({.layout = reply_layout::nothing, .path = path_});
      else
        ++xid_;
      break;
    case 10:
      if (under_test_->open_handle()->requests().sync(path_))
        note({.layout = reply_layout::path, .path = path_});
      break;
    case 11:
      return send(list_own{}, {reply_layout::names});
    default:
      return transaction();
    }
    requested();
  }

  void transaction() {
    static constexpr std::pair<write::kind, reply_layout> kinds[] = {
        {write::kind::create, reply_layout::path},
        {write::kind::remove, reply_layout::nothing},
        {write::kind::set, reply_layout::stat},
        {write::kind::check, reply_layout::nothing}};
    std::vector<zookeeper::write> all;
    sent noted{.layout = reply_layout::results};
    for (auto count = in_.below(5); count != 0; --count) {
      const auto& [kind, layout] = kinds[in_.below(4)];
      all.push_back({.what = kind, .path = path_, .sequential = in_.one_of(2)});
      noted.parts.push_back(layout);
    }
    send(transact{.writes = all}, std::move(noted));
  }

  void send(const request& what, sent noted) {
    noted.path = path_;
    const bool is_sent = under_test_->open_handle()->requests().send(what, *this, {1, ++tag_});
    if (is_sent) note(std::move(noted));
    requested();
  }

  void note(sent noted) {
    ++xid_;
    sent_.push_back(std::move(noted));
  }

  void requested() {
    under_test_->requested();
    poll();
  }

  void answer() {
    if (sent_.empty()) return write(frames_.reply(xid_, in_.text()));
    const auto to = std::move(sent_.front());
    sent_.pop_front();
    const auto xid = xid_ - static_cast<std::int32_t>(sent_.size());
    const auto body = to.layout == reply_layout::results ? frames_.results(to.parts, to.path)
                                                         : frames_.body(to.layout, to.path);
    write(frames_.reply(xid, body));
  }

  // In a single piece, or in two.
  void write(std::string_view text) {
    const auto bytes = tls_ ? tls_->send(text) : std::string(text);
    const auto first = in_.one_of(4) ? in_.below(256) % (bytes.size() + 1) : 0;
    for (const auto& part : {bytes.substr(0, first), bytes.substr(first)}) {
      if (!part.empty()) ::send(server_.get(), part.data(), part.size(), MSG_NOSIGNAL);
      poll();
    }
  }

  void close_server() {
    server_ = detail::unique_descriptor{};
    poll();
  }

  // The bytes of the requests are not read: the layouts of the replies are known.
  void poll() {
    do {
      for (int steps = 0; io_.poll_one() != 0; ++steps)
        require(steps < 10'000, "the connection runs without end");
    } while (answers_handshake());
  }

  // Returns whether the server has sent its part of a handshake.
  bool answers_handshake() {
    std::string answer;
    char requests[4096];
    for (ssize_t size; (size = ::recv(server_.get(), requests, sizeof requests, MSG_DONTWAIT)) > 0;)
      if (tls_)
        require(tls_->receive({requests, static_cast<std::size_t>(size)}, answer).has_value(),
                "the client breaks the protocol of TLS");
    return !answer.empty() && ::send(server_.get(), answer.data(), answer.size(), MSG_NOSIGNAL) > 0;
  }

  void on_established() noexcept override {
    require(!established_ && !lost_, "a connection is established twice");
    established_ = true;
  }

  void on_answered(request_label, boot_clock::time_point, bool) noexcept override {
    require(established_ && !lost_, "a reply is told without a connection");
  }

  void on_watch_fired(std::string_view path, watch_event) noexcept override {
    require(established_ && !lost_, "an event is told without a connection");
    read(path);
  }

  void on_rolled_back() noexcept override {
    require(under_test_->release()->rolled_back_to().has_value(), "no zxid is too low");
    on_lost(loss::broken, {}, {});
  }

  void on_lost(loss, std::string_view why, request_label) noexcept override {
    require(!lost_, "a connection is lost twice");
    require(!fuzz::has_control(why), "the reason of a loss has a control character");
    lost_ = true;
  }

  void on_reply(request_tag tag, const reply& answer) noexcept override {
    require(established_ && !lost_, "a reply is told without a connection");
    require(tag.what == 1 && tag.which > last_told_ && tag.which <= tag_,
            "replies are in disorder");
    last_told_ = tag.which;
    read(answer.path);
    read(answer.data);
    read(zookeeper::error_text(answer.error));
    for (const auto child : answer.children)
      read(child);
  }

  // Where a view is not valid, the address sanitizer tells.
  static void read(std::string_view text) noexcept { static_cast<void>(std::string(text)); }

  input& in_;
  server_frames frames_;
  // No value for a plain connection.
  std::optional<test::fake_tls_server> tls_;
  boost::asio::io_context io_{1};
  const std::shared_ptr<connection> under_test_ = std::shared_ptr<connection>(
      new connection(strand(boost::asio::any_io_executor(io_.get_executor())), *this));
  detail::unique_descriptor server_;
  std::deque<sent> sent_;
  std::string path_ = "/a/a";
  std::int32_t xid_ = 0;
  std::uint64_t tag_ = 0;
  std::uint64_t last_told_ = 0;
  bool established_ = false;
  bool lost_ = false;
};

} // namespace

} // namespace zklock::zookeeper

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool by_tls : {false, true}) {
    zklock::fuzz::input in(data, size);
    zklock::zookeeper::scenario(in, by_tls).run();
  }
  return 0;
}
