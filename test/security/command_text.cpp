// Node data of other clients, and credentials, in the output of the command.
#include "cli/users.hpp"
#include "hostile_identities.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

struct printed_lock : users {
  std::string path = root + "/lock";

  /// Every command that prints node data of other clients.
  static std::vector<std::vector<std::string>> commands(const std::string& root,
                                                        const std::string& path) {
    return {{"ls", root},         {"ls", "--json", root}, {"show", path}, {"show", "--json", path},
            {"deadlocks", root},  {"ask", path},          {"show", path}, {"ls", root},
            {"break", "-y", path}};
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(command_text, printed_lock, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(no_identity_acts_on_the_terminal) {
  for (const auto& identity : hostile_identities()) {
    const auto node = create_foreign_entry(witness, path);
    witness.set(node, identity);
    for (const auto& each : commands(root, path)) {
      const auto done = run(each);
      BOOST_TEST_CONTEXT(each.front()) {
        BOOST_TEST(done.status <= 1);
        BOOST_TEST(!(done.out + done.errors).empty() == (each.front() != "deadlocks"));
        BOOST_TEST(is_harmless(done.out, "\n"));
        BOOST_TEST(is_harmless(done.errors, "\n"));
        BOOST_TEST(done.out.size() < 100'000u);
        // The identity begins no line.
        BOOST_TEST(done.out.find("\nlost a lock") == done.out.npos);
      }
    }
    if (witness.exists(node)) witness.remove(node);
  }
}

BOOST_AUTO_TEST_CASE(no_identity_acts_on_the_screen_of_top) {
  const auto node = create_foreign_entry(witness, path);
  witness.set(node, "\x1b]0;owned\x07");
  const auto done = run_in_terminal(with_server({"top", root}), "\rq");
  BOOST_TEST(done.out.find("\x1b]0;owned") == done.out.npos);
  BOOST_TEST(done.out.find('\x07') == done.out.npos);
}

BOOST_AUTO_TEST_CASE(credentials_come_from_a_file_and_show_nowhere) {
  const std::string secret = "S3cr3tOfTheTill";
  const testing::temporary_directory folder;
  const auto file = (folder.path() / "credentials").string();
  std::ofstream(file) << "# of the till\n\ndigest:till:" << secret << "\r\n";
  witness.add_auth("digest", "till:" + secret);
  witness.create(root + "/guarded", "", testing::create_mode::persistent,
                 {testing::creator_access()});
  create_foreign_entry(witness, root + "/guarded");
  const auto guarded = root + "/guarded";
  BOOST_TEST(run({"show", guarded}).status == 77);

  command holding(with_server({"run", "--verbose", "--session-timeout", "4", "--auth-file", file,
                               guarded + "/below", "sh", "-c",
                               "tr '\\0' ' ' < /proc/self/environ; echo; echo done; read line"}));
  std::string seen;
  while (seen.find("done\n") == seen.npos)
    seen += holding.read_line() + '\n';
  // Neither of the two processes, nor the command, has it in its arguments or its environment.
  for (const pid_t each : {holding.process().id(), holding.holder()})
    for (const auto* part : {"/cmdline", "/environ"}) {
      std::ifstream in("/proc/" + std::to_string(each) + part);
      seen.append(std::istreambuf_iterator<char>(in), {});
    }
  BOOST_TEST(seen.find(file) != seen.npos);
  holding.process().close_input();
  BOOST_TEST(holding.wait() <= 1);
  seen += holding.errors();

  for (const auto& each :
       std::vector<std::vector<std::string>>{{"show", "--auth-file", file, guarded},
                                             {"ls", "--auth-file", file, root},
                                             {"doctor", "--auth-file", file},
                                             {"ask", "--auth-file", file, guarded}}) {
    const auto done = run(each);
    BOOST_TEST_CONTEXT(each.front()) {
      BOOST_TEST(done.status <= 1);
    }
    seen += done.out + done.errors;
  }
  BOOST_TEST((seen.find(secret) == seen.npos), seen);
}

BOOST_AUTO_TEST_CASE(bad_file_of_credentials_is_refused_without_its_content) {
  const testing::temporary_directory folder;
  const auto file = (folder.path() / "credentials").string();
  std::ofstream(file) << "digest:a:b\nS3cr3tOfTheTill\n";
  auto done = run({"ls", "--auth-file", file});
  BOOST_TEST(done.status == 64);
  BOOST_TEST(done.errors.find("invalid credential in line 2 of " + file) != std::string::npos);
  BOOST_TEST(done.errors.find("S3cr3t") == std::string::npos);
  done = run({"ls", "--auth", "S3cr3tOfTheTill"});
  BOOST_TEST(done.status == 64);
  BOOST_TEST(done.errors.find("S3cr3t") == std::string::npos);
  // It has no end.
  done = run({"ls", "--auth-file", "/dev/zero"});
  BOOST_TEST(done.status == 64);
  BOOST_TEST(done.errors.find("invalid credentials in /dev/zero: must be 65536 bytes at most") !=
             std::string::npos);
  for (const auto& missing : {file + ".missing", folder.path().string()}) {
    done = run({"ls", "--auth-file", missing});
    BOOST_TEST(done.status == 64);
    BOOST_TEST(done.errors.find("cannot read the credentials in " + missing) != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
