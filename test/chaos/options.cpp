#include "chaos/options.hpp"

#include <random>
#include <stdexcept>
#include <vector>

namespace chaos {

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
    else
      throw std::invalid_argument("unknown option " + given[i] + ' ' + value);
    ++i;
  }
  if (!(chosen.minutes > 0)) throw std::invalid_argument("--minutes must be positive");
  return chosen;
}

} // namespace chaos
