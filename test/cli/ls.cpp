// zklock ls and zklock show, as a user runs them.
#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>

#include "cli/users.hpp"
#include "support/stat_of.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>

using namespace zklock;
using namespace zklock::test;

namespace json = boost::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(command_ls, users, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(path_that_does_not_exist_is_told) {
  const auto missing = root + "/missing";
  const auto text = "zklock: " + missing + " does not exist\n";
  for (const auto* subcommand : {"ls", "show"}) {
    const auto looked = run({subcommand, missing});
    BOOST_TEST(looked.status == 0);
    BOOST_TEST(looked.out == "");
    BOOST_TEST(looked.errors == text);
    const auto as_json = run({subcommand, "--json", missing});
    BOOST_TEST(json::parse(as_json.out).at("locks").as_array().empty());
    BOOST_TEST(as_json.errors == text);
  }
  const auto asked = run({"ask", missing});
  BOOST_TEST(asked.status == 1);
  BOOST_TEST(asked.errors == "zklock: nothing holds " + missing + '\n');
  // cron trusts its exit code.
  const auto searched = run({"deadlocks", missing});
  BOOST_TEST(searched.status == 69);
  BOOST_TEST(searched.errors == text);
  BOOST_TEST(run({"deadlocks", root}).status == 0);
}

BOOST_AUTO_TEST_CASE(chroot_that_does_not_exist_is_told) {
  const auto servers = shared_server().address() + root + "/missing";
  for (const auto* subcommand : {"ls", "show", "ask", "deadlocks"}) {
    const auto looked = run_zklock({subcommand, "--servers", servers, "/a"});
    BOOST_TEST(looked.status == 69);
    BOOST_TEST(looked.errors == "zklock: the chroot " + root + "/missing does not exist\n");
  }
  auto waiting = start_run({"/a", "true"}, servers);
  BOOST_TEST(waiting.wait() == 69);
  BOOST_TEST(waiting.errors() ==
             "zklock: cannot acquire /a: the chroot " + root + "/missing does not exist\n");
}

BOOST_AUTO_TEST_CASE(invalid_path_is_named_with_the_reason) {
  const std::vector<std::vector<std::string>> all{
      {"ls"}, {"show"}, {"top", "--once"}, {"ask"}, {"break", "--yes"}, {"deadlocks"}, {"run"}};
  for (auto arguments : all) {
    const auto name = arguments.front();
    arguments.emplace_back("no/slash");
    const auto refused = run(arguments);
    BOOST_TEST(refused.status == 64);
    BOOST_TEST(refused.out == "");
    BOOST_TEST(refused.errors == "zklock: invalid path \"no/slash\": must start with '/'\n"
                                 "Try 'zklock help " +
                                     name + "'.\n");
  }
  const auto refused = run({"doctor", "--path", "/"});
  BOOST_TEST(refused.status == 64);
  BOOST_TEST(refused.errors.starts_with("zklock: invalid path \"/\": must not be the root\n"));
}

BOOST_AUTO_TEST_CASE(silent_servers_are_not_waited_for) {
  testing::relay first(shared_server().direct_address(), {.frames = false});
  testing::relay second(shared_server().direct_address(), {.frames = false});
  first.silence();
  second.silence();
  const auto list =
      first.address() + ',' + shared_server().direct_address() + ',' + second.address();
  // A client would try the servers in any order, and wait for a silent server for 10 s.
  for (int i = 0; i < 4; ++i) {
    command looking({"ls", "--servers", list, "--session-timeout", "40s", root});
    BOOST_TEST(looking.process().wait_for_end(std::chrono::seconds(8)));
    BOOST_TEST(looking.wait() == 0);
    BOOST_TEST(looking.errors() == "");
  }
}

BOOST_AUTO_TEST_CASE(server_that_forbids_to_be_asked_is_used) {
  testing::server closed({.configuration = {"4lw.commands.whitelist=ruok"}});
  command looking(
      {"ls", "--servers", "127.0.0.1:1," + closed.direct_address(), "--server-tick", "500ms", "/"});
  BOOST_TEST(looking.wait() == 0);
  // The server that refuses connections is left out.
  BOOST_TEST(looking.errors() == "");
}

BOOST_AUTO_TEST_CASE(invalid_server_behind_a_good_one_is_refused) {
  const auto refused = run_zklock({"ls", "--servers", shared_server().address() + ",zk2"});
  BOOST_TEST(refused.status == 64);
  BOOST_TEST(refused.errors.find("\"zk2\" must have a port") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(servers_that_do_not_answer_are_named) {
  for (const auto* subcommand : {"ls", "show", "ask", "deadlocks"}) {
    const auto looked =
        run_zklock({subcommand, "--servers", "127.0.0.1:1", "--connect-timeout", "200ms", "/a"});
    BOOST_TEST(looked.status == 69);
    BOOST_TEST(
        looked.errors.ends_with("\nzklock: no server of 127.0.0.1:1 answers within 0.2 s\n"));
  }
}

BOOST_AUTO_TEST_CASE(ls_lists_locks_of_every_kind) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  mutex same(two, root + "/tickets");
  const auto waiting = same.acquire(asio::use_future);
  shared_mutex rw(one, root + "/config");
  const hold reading = get(rw.acquire_shared(30s, asio::use_future));
  semaphore s(two, root + "/printers", 3);
  const hold permits = get(s.acquire(2, 30s, asio::use_future));
  wait_for_entries(root + "/tickets", 2);

  const auto listed = run({"ls", root});
  BOOST_TEST(listed.status == 0);
  BOOST_TEST(listed.errors == "");
  const auto lines = lines_of(listed.out);
  BOOST_TEST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0].starts_with("PATH "));
  const auto words = [](const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> all(std::istream_iterator<std::string>(in), {});
    // The age.
    if (all.size() > 4) all.erase(all.begin() + 4);
    return all;
  };
  using expected = std::vector<std::string>;
  BOOST_TEST(words(lines[1]) == (expected{root + "/config", "shared_mutex", "1", "0"}),
             boost::test_tools::per_element());
  BOOST_TEST(words(lines[2]) == (expected{root + "/printers", "semaphore", "2", "0"}),
             boost::test_tools::per_element());
  BOOST_TEST(words(lines[3]) == (expected{root + "/tickets", "mutex", "1", "1"}),
             boost::test_tools::per_element());
  // No colours in a pipe.
  BOOST_TEST(listed.out.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(ls_prints_json_with_documented_fields) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  const auto listed = run({"ls", "--json", root});
  BOOST_TEST(listed.status == 0);
  const auto all = json::parse(listed.out);
  BOOST_TEST(all.at("root").as_string() == root);
  const auto& locks = all.at("locks").as_array();
  BOOST_TEST_REQUIRE(locks.size() == 1u);
  BOOST_TEST(locks[0].at("path").as_string() == root + "/tickets");
  BOOST_TEST(locks[0].at("type").as_string() == "mutex");
  BOOST_TEST(locks[0].at("holders").to_number<int>() == 1);
  BOOST_TEST(locks[0].at("waiters").to_number<int>() == 0);
  BOOST_TEST(locks[0].at("oldest_ms").to_number<std::int64_t>() >= 0);
  BOOST_TEST(locks[0].at("marks").as_array().empty());
  BOOST_TEST(locks[0].at("error").is_null());
}

BOOST_AUTO_TEST_CASE(show_tells_the_identity_of_each_entry) {
  const mutex m(one, root + "/tickets");
  const hold held = get(m.acquire({.timeout = 30s, .identity = "starting"}, asio::use_future));
  get(held.set_identity("http://10.0.0.7:8080", asio::use_future));
  const mutex same(two, root + "/tickets");
  const auto waiting = same.acquire({.identity = "the next leader"}, asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  const auto shown = run({"show", root + "/tickets"});
  BOOST_TEST(shown.says("http://10.0.0.7:8080"));
  BOOST_TEST(shown.says("the next leader"));
  const auto all = json::parse(run({"show", "--json", root + "/tickets"}).out);
  const auto& participants = all.at("locks").at(0).at("participants").as_array();
  BOOST_TEST_REQUIRE(participants.size() == 2u);
  BOOST_TEST(participants[0].at("identity").as_string() == "http://10.0.0.7:8080");
  BOOST_TEST(participants[1].at("identity").as_string() == "the next leader");
}

BOOST_AUTO_TEST_CASE(ls_of_nothing_prints_nothing) {
  const auto listed = run({"ls", root});
  BOOST_TEST(listed.status == 0);
  BOOST_TEST(listed.out == "");
  BOOST_TEST(listed.errors == "");
  BOOST_TEST(run({"ls", root + "/missing"}).status == 0);
  const auto all = json::parse(run({"ls", "--json", root}).out);
  BOOST_TEST(all.at("locks").as_array().empty());
}

BOOST_AUTO_TEST_CASE(ls_lists_empty_directories_when_asked) {
  witness.create(root + "/used");
  witness.remove(witness.create(root + "/used/x"));
  BOOST_TEST(run({"ls", root}).out == "");
  BOOST_TEST(run({"ls", "--all", root}).says("unknown"));
}

BOOST_AUTO_TEST_CASE(ls_marks_what_is_doubtful) {
  using testing::create_mode;
  for (const auto* name : {"/mixed", "/kept", "/asked"})
    witness.create(root + name);
  const std::string entry = "/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-";
  witness.create(root + "/mixed" + entry, "", create_mode::ephemeral_sequential);
  witness.create(root + "/mixed/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a12-__READ__", "",
                 create_mode::ephemeral_sequential);
  witness.create(root + "/kept" + entry, "", create_mode::persistent_sequential);
  witness.create(root + "/asked" + entry, "__REVOKE__", create_mode::ephemeral_sequential);
  witness.create(root + "/closed", "", create_mode::persistent, {{4, "world", "anyone"}});
  const auto lines = lines_of(run({"ls", root}).out);
  BOOST_TEST_REQUIRE(lines.size() == 5u);
  BOOST_TEST(lines[1].ends_with("  asked"));
  BOOST_TEST(lines[2].ends_with("  unreadable"));
  BOOST_TEST(lines[3].ends_with("  permanent"));
  BOOST_TEST(lines[4].ends_with("  mixed"));

  const auto shown = run_in_terminal(with_server({"ls", root}), "");
  BOOST_TEST(shown.says("\x1b["));
  const auto plain = run_in_terminal(with_server({"ls", root}), "", false);
  BOOST_TEST(plain.says("permanent"));
  BOOST_TEST(!plain.says("\x1b["));
}

BOOST_AUTO_TEST_CASE(show_lists_participants_in_order) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  mutex same(two, root + "/tickets");
  const auto waiting = same.acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  const auto shown = run({"show", root + "/tickets"});
  BOOST_TEST(shown.status == 0);
  const auto lines = lines_of(shown.out);
  BOOST_TEST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0] == root + "/tickets  mutex");
  BOOST_TEST(lines[2].starts_with("holds  till 1"));
  BOOST_TEST(lines[3].starts_with("waits  till 2"));
  BOOST_TEST(lines[2].find(held.token().to_string()) != std::string::npos);

  const auto all = json::parse(run({"show", "--json", root + "/tickets"}).out);
  const auto& line = all.at("locks").at(0).at("participants").as_array();
  BOOST_TEST_REQUIRE(line.size() == 2u);
  BOOST_TEST(line[0].at("node").as_string() == held.node());
  BOOST_TEST(line[0].at("state").as_string() == "holds");
  BOOST_TEST(line[0].at("role").as_string() == "exclusive");
  BOOST_TEST(line[0].at("identity").as_string() == "till 1");
  BOOST_TEST(line[0].at("token").as_string() == held.token().to_string());
  BOOST_TEST(line[0].at("queued_since_ms").to_number<std::int64_t>() ==
             stat_of(witness, held.node()).ctime);
  BOOST_TEST(line[1].at("state").as_string() == "waits");
  BOOST_TEST(line[1].at("number").to_number<int>() == 1);

  BOOST_TEST(run({"show", root + "/free"}).out == "");
  BOOST_TEST(run({"show", root + "/free"}).status == 0);
}

BOOST_AUTO_TEST_CASE(show_tells_of_clients_that_may_only_keep_a_lock) {
  auto options = named("till 1");
  options.lock_cache.emplace();
  const client keeping(context.io, options);
  mutex lock(keeping, root + "/tickets");
  const hold held = get(lock.acquire(30s, asio::use_future));
  const auto shown = lines_of(run({"show", root + "/tickets"}).out);
  BOOST_TEST_REQUIRE(shown.size() == 3u);
  BOOST_TEST(shown[2].starts_with("holds/kept  "));
  const auto all = json::parse(run({"show", "--json", root + "/tickets"}).out);
  const auto& seen = all.at("locks").at(0).at("participants").at(0);
  BOOST_TEST(seen.at("state").as_string() == "holds");
  BOOST_TEST(seen.at("use").as_string() == "unknown");
}

// The data of a znode can be anything.
BOOST_AUTO_TEST_CASE(show_passes_no_control_characters_to_the_terminal) {
  witness.create(root + "/tickets");
  witness.create(root + "/tickets/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-",
                 "till\x1b[2J\n\xff \xc3\xa9", testing::create_mode::ephemeral_sequential);
  const auto shown = run({"show", root + "/tickets"});
  BOOST_TEST(shown.says("till\\x1b[2J\\x0a\\xff \xc3\xa9"));
  const auto all = json::parse(run({"show", "--json", root + "/tickets"}).out);
  BOOST_TEST(all.at("locks").at(0).at("participants").at(0).at("identity").as_string() ==
             "till\x1b[2J\n\xef\xbf\xbd \xc3\xa9");
}

BOOST_AUTO_TEST_CASE(wrong_command_lines_are_refused) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"show"}, {"ls", "locks"}, {"ls", "/a", "/b"}, {"ls", "--nonsense"}}) {
    const auto refused = run(arguments);
    BOOST_TEST(refused.status == 64);
    BOOST_TEST(refused.out == "");
    BOOST_TEST(refused.errors.starts_with("zklock: "));
  }
}

BOOST_AUTO_TEST_CASE(missing_servers_are_reported) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  const auto failed = run_zklock({"ls", "--servers", door.address(), "--connect-timeout", "500ms"});
  BOOST_TEST(failed.status == 69);
  BOOST_TEST(failed.out == "");
  BOOST_TEST(failed.errors.find(door.address()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(help_shows_examples) {
  for (const auto* name : {"ls", "show", "ask", "break", "deadlocks", "doctor"}) {
    const auto helped = run_zklock({"help", name});
    BOOST_TEST(helped.status == 0);
    BOOST_TEST(helped.says("Usage: zklock " + std::string(name)));
    BOOST_TEST(helped.says("\nExamples:\n  zklock " + std::string(name)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
