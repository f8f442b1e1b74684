#include "testing/java.hpp"

#include <zklock/testing/error.hpp>

#include "testing/find_program.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path find_java() {
  if (std::string chosen = environment("ZKLOCK_JAVA"); !chosen.empty()) {
    if (is_program(chosen)) return fs::absolute(chosen);
    throw error("cannot start ZooKeeper: invalid ZKLOCK_JAVA \"" + chosen +
                "\": there is no such program");
  }
  if (fs::path java = find_program("java"); !java.empty()) return java;
  throw error("cannot start ZooKeeper: there is no program java on the PATH. Install it (on Debian "
              "the package default-jre-headless) or set ZKLOCK_JAVA to it");
}

bool is_versioned_jar(const std::string& name) {
  constexpr std::string_view begin = "zookeeper-";
  return name.starts_with(begin) && name.ends_with(".jar") &&
         std::isdigit(static_cast<unsigned char>(name[begin.size()])) != 0;
}

constexpr const char* jars_of_debian = "/usr/share/java";

/// Adds a jar to a class path. A jar that an unpacked package of another release lacks is Debian's.
/// Returns false if there is no such jar.
bool add_jar(const fs::path& folder, const char* name, std::string& path) {
  for (const fs::path& place : {folder, fs::path(jars_of_debian)})
    if (fs::exists(place / name)) {
      path += ':' + (place / name).string();
      return true;
    }
  return false;
}

std::string find_jars() {
  std::string chosen = environment("ZKLOCK_ZOOKEEPER_JARS");
  fs::path folder = chosen.empty() ? fs::path(jars_of_debian) : fs::absolute(chosen);
  if (fs::path jar = folder / "zookeeper.jar"; fs::exists(jar)) {
    // The manifest of Debian's jar names all required jars except a logger, in /usr/share/java. The
    // jars of another release, unpacked elsewhere, come first.
    std::string path;
    for (const char* required : {"zookeeper-jute.jar", "slf4j-api.jar"})
      if (fs::exists(folder / required)) path += (folder / required).string() + ':';
    path += jar.string();
    if (!add_jar(folder, "slf4j-simple.jar", path)) add_jar(folder, "slf4j-nop.jar", path);
    // The manifest lacks the jars that only a server with TLS needs.
    for (const char* of_netty :
         {"netty-codec.jar", "netty-resolver.jar", "netty-transport-native-unix-common.jar"})
      add_jar(folder, of_netty, path);
    return path;
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_versioned_jar(entry.path().filename().string()))
      // Apache's archive: the folder `conf` configures the log.
      return (folder / "*").string() + ':' + (folder.parent_path() / "conf").string();
  std::string advice = chosen.empty()
                           ? "Install it (on Debian the package libzookeeper-java) or set "
                             "ZKLOCK_ZOOKEEPER_JARS to the folder"
                           : "The environment variable ZKLOCK_ZOOKEEPER_JARS names it";
  throw error("cannot start ZooKeeper: there is no zookeeper.jar in " + folder.string() + ". " +
              advice);
}

} // namespace

std::vector<std::string> java_command(const server_options& options, const fs::path& configuration,
                                      const fs::path& scratch) {
  std::vector<std::string> command{
      find_java().string(),
      // For a fast start of a small server.
      "-Xshare:auto",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-Xmx" + std::to_string(options.heap) + "m",
      // The file of performance data would remain after a kill.
      "-XX:-UsePerfData",
      "-Djava.io.tmpdir=" + scratch.string(),
      "-Djava.net.preferIPv4Stack=true",
      "-Dzookeeper.jmx.log4j.disable=true",
      "-Dorg.slf4j.simpleLogger.showDateTime=true",
      "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
      "-Dorg.slf4j.simpleLogger.showShortLogName=true",
      // Only a crash of the machine could lose data, not a crash of the process.
      "-Dzookeeper.forceSync=no",
      "-Dznode.container.checkIntervalMs=" +
          std::to_string(options.container_check_interval.count()),
  };
  // At the end: the last of two contradictory options has effect.
  command.insert(command.end(), options.java_options.begin(), options.java_options.end());
  for (const auto& property : options.system_properties)
    command.push_back("-D" + property);
  command.insert(command.end(),
                 {"-cp", find_jars(), "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                  configuration.string()});
  return command;
}

} // namespace zklock::testing
