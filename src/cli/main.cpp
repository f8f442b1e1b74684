// The command `zklock`. doc/command.md describes it.

#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/subcommand.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace zklock::cli;

int dispatch(const std::vector<std::string>& all) {
  if (all.empty()) throw usage_error("no command is given");
  const auto& name = all.front();
  const std::vector<std::string> arguments(all.begin() + 1, all.end());
  if (name == "--version" || name == "-V") {
    std::cout << "zklock " ZKLOCK_VERSION "\n";
    return exit_code::success;
  }
  if (name == "--help" || name == "-h") return help(arguments);
  return find_subcommand(name).run(arguments);
}

int complain(const std::string& problem, int code) {
  report(problem);
  return code;
}

int suggest_help(const std::vector<std::string>& all, const std::string& problem) {
  report(problem);
  const bool of_subcommand = !all.empty() && all.front() != "help" &&
                             std::ranges::any_of(subcommands(), [&all](const subcommand& each) {
                               return each.name == all.front();
                             });
  std::cerr << "Try 'zklock help" << (of_subcommand ? " " + all.front() : "") << "'.\n";
  return exit_code::usage;
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> all(argv + std::min(argc, 1), argv + argc);
  try {
    const int code = dispatch(all);
    if (!std::cout.flush()) throw failure(exit_code::system, "cannot write the output");
    return code;
  } catch (const usage_error& e) {
    return suggest_help(all, e.what());
  } catch (const failure& e) {
    return complain(e.what(), e.code());
  } catch (const boost::system::system_error& e) {
    const int code = exit_code_of(e.code());
    return code == exit_code::usage ? suggest_help(all, text_of(e)) : complain(text_of(e), code);
  } catch (const std::exception& e) {
    return complain(e.what(), exit_code::system);
  }
}
