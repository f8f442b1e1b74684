#include "chaos/options.hpp"

#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace chaos {
namespace {

std::set<fault_kind> kinds_in(const std::string& list) {
  std::set<fault_kind> all;
  std::istringstream names(list);
  for (std::string each; std::getline(names, each, ',');) {
    const auto kind = kind_named(each);
    if (!kind) throw std::invalid_argument("there is no fault \"" + each + '"');
    all.insert(*kind);
  }
  return all;
}

} // namespace

options read_options(int count, char** arguments) {
  options chosen;
  chosen.seed = std::random_device{}();
  const std::vector<std::string> given(arguments + 1, arguments + count);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--help" || given[i] == "-h") {
      chosen.help = true;
      continue;
    }
    if (given[i] == "--logs") {
      chosen.logs = true;
      continue;
    }
    if (i + 1 == given.size()) throw std::invalid_argument(given[i] + " needs a value");
    const auto& value = given[i + 1];
    if (given[i] == "--minutes")
      chosen.minutes = std::stod(value);
    else if (given[i] == "--seed")
      chosen.seed = std::stoull(value);
    else if (given[i] == "--out")
      chosen.out = std::filesystem::absolute(value);
    else if (given[i] == "--network" && (value == "namespaces" || value == "relay"))
      chosen.network = value;
    else if (given[i] == "--only")
      chosen.only = kinds_in(value);
    else
      throw std::invalid_argument("unknown option " + given[i] + ' ' + value);
    ++i;
  }
  if (!(chosen.minutes > 0)) throw std::invalid_argument("--minutes must be positive");
  return chosen;
}

} // namespace chaos
