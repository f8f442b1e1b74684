// Folders whose names a server's configuration file, or Java, does not take literally.
#include <zklock/testing.hpp>

#include "support/raw_client.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

using namespace zklock::testing;
using boost::unit_test::timeout;

namespace {

namespace fs = std::filesystem;

/// Replaces a variable of the environment for as long as it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~variable() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

/// The working directory is a temporary folder, which has a folder with an odd name.
class odd_folder {
 public:
  odd_folder() {
    fs::current_path(parent_.path());
    fs::create_directory(name);
  }
  ~odd_folder() { fs::current_path(before_); }

  /// Returns whether nothing but the odd folder has appeared beside it.
  bool is_alone() const {
    return std::distance(fs::directory_iterator(parent_.path()), fs::directory_iterator()) == 1;
  }

  static constexpr const char* name =
      " blank\\b#a=b:c!d$HOME\ttab\nline'\"%20 \xc3\xa9\xf0\x9f\x98\x80";

 private:
  const fs::path before_ = fs::current_path();
  const temporary_directory parent_;
  // Java would take other letters than ASCII for question marks.
  const variable locale_{"LC_ALL", "C"};
};

bool has_data(const fs::path& folder) {
  return fs::is_directory(folder / "data" / "version-2");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(odd_folders, odd_folder)

BOOST_AUTO_TEST_CASE(temporary_data_is_in_its_folder_and_is_removed, *timeout(60)) {
  const variable chosen("TMPDIR", name);
  fs::path folder;
  {
    server zookeeper;
    folder = zookeeper.data_directory();
    raw_client(zookeeper.address()).create("/n");
    BOOST_TEST(has_data(folder));
    zookeeper.stop();
    zookeeper.start();
    BOOST_TEST(raw_client(zookeeper.address()).exists("/n").has_value());
  }
  BOOST_TEST(!fs::exists(folder));
  BOOST_TEST(fs::is_empty(name));
  BOOST_TEST(is_alone());
}

BOOST_AUTO_TEST_CASE(chosen_folder_has_the_data_of_the_server_before, *timeout(60)) {
  const server_options options{.data_directory = fs::path(name) / "data"};
  {
    server zookeeper(options);
    raw_client(zookeeper.address()).create("/n");
    BOOST_TEST(has_data(zookeeper.data_directory()));
  }
  server zookeeper(options);
  BOOST_TEST(raw_client(zookeeper.address()).exists("/n").has_value());
  BOOST_TEST(is_alone());
}

BOOST_AUTO_TEST_CASE(folder_that_java_cannot_name_is_refused, *timeout(60)) {
  const auto is_told = [](const error& e) {
    return std::string(e.what()).find("is not UTF-8") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(server({.data_directory = fs::path(name) / "\xff"}), error, is_told);
}

BOOST_AUTO_TEST_SUITE_END()
