// Runs a program against a ZooKeeper server that runs as long as the program.
//
//   with_server PROGRAM [ARGUMENT...]
//
// {servers} in an argument is replaced by the server's address:
//
//   with_server ./example_first_lock {servers}

#include <zklock/testing/child_process.hpp>
#include <zklock/testing/server.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: with_server PROGRAM [ARGUMENT...]\n";
    return 2;
  }
  zklock::testing::server server;

  std::vector<std::string> command(argv + 1, argv + argc);
  constexpr std::string_view placeholder = "{servers}";
  for (auto& argument : command)
    if (const auto at = argument.find(placeholder); at != std::string::npos)
      argument.replace(at, placeholder.size(), server.address());

  return zklock::testing::child_process({.command = command}).wait();
} catch (const std::exception& e) {
  std::cerr << "with_server: " << e.what() << '\n';
  return 1;
}
