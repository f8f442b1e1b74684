#include "testing/server_files.hpp"

#include <zklock/testing/error.hpp>

#include <fstream>

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream out(path);
  out << content;
  if (!out.flush()) throw error("cannot write the file " + path.string());
}

} // namespace

void server_files::write(const server_options& options, std::uint16_t port, int id,
                         const std::string& peers) const {
  std::error_code problem;
  for (const fs::path& needed : {data(), scratch()}) {
    fs::create_directories(needed, problem);
    if (problem)
      throw error("cannot create the folder " + needed.string() + ": " + problem.message());
  }
  std::string text = "tickTime=" + std::to_string(options.tick_time.count()) +
                     "\ndataDir=" + data().string() + "\nclientPort=" + std::to_string(port) +
                     "\nclientPortAddress=127.0.0.1"
                     "\nmaxClientCnxns=" +
                     std::to_string(options.max_client_connections) +
                     "\nmaxSessionTimeout=" + std::to_string(options.max_session_timeout.count()) +
                     "\nadmin.enableServer=false"
                     "\n4lw.commands.whitelist=*\n";
  if (options.min_session_timeout.count() > 0)
    text += "minSessionTimeout=" + std::to_string(options.min_session_timeout.count()) + '\n';
  if (id != 0) {
    text += "initLimit=" + std::to_string(options.init_limit) +
            "\nsyncLimit=" + std::to_string(options.sync_limit) + '\n' + peers;
    write_file(data() / "myid", std::to_string(id) + '\n');
  }
  for (const auto& line : options.configuration)
    text += line + '\n';
  write_file(configuration(), text);
}

} // namespace zklock::testing
