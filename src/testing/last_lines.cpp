#include "testing/last_lines.hpp"

#include <deque>
#include <fstream>

namespace zklock::testing {

std::string last_lines(const std::filesystem::path& file, std::size_t lines) {
  std::ifstream in(file);
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line);) {
    last.push_back(line);
    if (last.size() > lines) last.pop_front();
  }
  std::string text;
  for (const auto& line : last)
    text += line + '\n';
  return text;
}

} // namespace zklock::testing
