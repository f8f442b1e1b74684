#include <zklock/testing.hpp>

#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;

namespace {

/// Sets an environment variable, and restores it.
class with_environment {
 public:
  with_environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~with_environment() {
    if (before_.empty())
      ::unsetenv(name_);
    else
      ::setenv(name_, before_.c_str(), 1);
  }
  with_environment(const with_environment&) = delete;
  with_environment& operator=(const with_environment&) = delete;

 private:
  const char* name_;
  std::string before_;
};

/// Checks that an action fails with a message that contains all `expected` texts.
void check_message(const std::function<void()>& action,
                   std::initializer_list<std::string> expected) {
  try {
    action();
  } catch (const error& e) {
    for (const auto& part : expected)
      BOOST_TEST(std::string(e.what()).find(part) != std::string::npos,
                 "'" << part << "' is not in: " << e.what());
    return;
  }
  BOOST_ERROR("there was no error");
}

} // namespace

BOOST_AUTO_TEST_SUITE(failing_servers)

BOOST_AUTO_TEST_CASE(missing_java_is_reported, *timeout(60)) {
  {
    with_environment path("PATH", "/nowhere");
    check_message([] { server(); }, {"no program java on the PATH", "ZKLOCK_JAVA"});
  }
  with_environment java("ZKLOCK_JAVA", "/nowhere/java");
  check_message([] { server(); }, {"/nowhere/java", "ZKLOCK_JAVA"});
}

BOOST_AUTO_TEST_CASE(java_that_cannot_be_executed_is_reported, *timeout(60)) {
  temporary_directory folder;
  auto program = folder.path() / "java";
  std::ofstream(program) << "neither a program nor a script";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  with_environment java("ZKLOCK_JAVA", program.string());
  check_message([] { server(); }, {"cannot execute " + program.string()});
}

BOOST_AUTO_TEST_CASE(missing_jars_are_reported, *timeout(60)) {
  with_environment jars("ZKLOCK_ZOOKEEPER_JARS", "/nowhere");
  check_message([] { server(); }, {"zookeeper.jar", "/nowhere", "ZKLOCK_ZOOKEEPER_JARS"});
  check_message([] { ensemble(3); }, {"zookeeper.jar", "/nowhere"});
}

BOOST_AUTO_TEST_CASE(jars_of_an_unpacked_package_precede_those_of_the_system, *timeout(60)) {
  temporary_directory folder;
  auto program = folder.path() / "java";
  std::ofstream(program) << "#!/bin/sh\necho \"$@\"\nexit 1\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string jars = folder.path().string() + '/';
  for (const char* name : {"zookeeper.jar", "zookeeper-jute.jar", "slf4j-simple.jar"})
    std::ofstream(jars + name) << "a jar";
  with_environment java("ZKLOCK_JAVA", program.string());
  with_environment chosen("ZKLOCK_ZOOKEEPER_JARS", folder.path().string());
  check_message([] { server(); }, {"-cp " + jars + "zookeeper-jute.jar:" + jars +
                                       "zookeeper.jar:" + jars + "slf4j-simple.jar",
                                   "/usr/share/java/netty-codec.jar"});
}

BOOST_AUTO_TEST_CASE(port_in_use_is_reported, *timeout(60)) {
  relay other("127.0.0.1:1");
  check_message([&] { server({.port = other.port()}); },
                {"port " + std::to_string(other.port()), "in use"});
}

BOOST_AUTO_TEST_CASE(server_that_ends_early_is_reported, *timeout(60)) {
  check_message([] { server({.configuration = {"tickTime=nonsense"}}); },
                {"127.0.0.1:", "ended during its start", "status", "nonsense"});
}

BOOST_AUTO_TEST_CASE(server_that_does_not_reply_in_time_is_reported, *timeout(60)) {
  check_message([] { server({.start_timeout = 1ms}); },
                {"127.0.0.1:", "did not reply within 1 ms"});
}

BOOST_AUTO_TEST_CASE(data_directory_that_cannot_be_created_is_reported, *timeout(60)) {
  check_message([] { server({.data_directory = "/dev/null/data"}); }, {"/dev/null/data"});
}

BOOST_AUTO_TEST_CASE(cut_from_peers_without_peers_fails, *timeout(60)) {
  server alone;
  BOOST_CHECK_THROW(alone.cut_from_peers(), error);
  BOOST_CHECK_THROW(ensemble(1), error);
}

BOOST_AUTO_TEST_CASE(operation_on_a_stopped_server_fails, *timeout(60)) {
  server zookeeper;
  zookeeper.stop();
  BOOST_CHECK_THROW(zookeeper.counters(), error);
  BOOST_CHECK_THROW(zookeeper.expire(1), error);
  BOOST_CHECK_THROW(zookeeper.pause(), error);
}

BOOST_AUTO_TEST_SUITE_END()
