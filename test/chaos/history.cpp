#include "chaos/history.hpp"

#include <istream>
#include <sstream>

namespace chaos {
namespace {

std::optional<nanoseconds> time_in(std::istream& line) {
  std::string text;
  if (!(line >> text)) return std::nullopt;
  if (text == "-") {
    line.clear();
    return std::nullopt;
  }
  return std::stoll(text);
}

void extend(std::optional<nanoseconds>& until, std::optional<nanoseconds> seen) {
  if (seen && (!until || *seen > *until)) until = seen;
}

// Reads the details behind the letter, the time and the number. Returns whether they make sense.
bool read_rest(std::istream& line, char what, nanoseconds time, history& all, operation& one) {
  switch (what) {
  case 'A': {
    char kind = 0;
    one.asked = time;
    line >> one.lock >> kind >> one.count >> one.timeout_ms;
    one.kind = static_cast<mode>(kind);
    return line && (kind == 'x' || kind == 's' || kind == 'p');
  }
  case 'G': {
    std::int64_t transaction = 0;
    std::uint32_t turn = 0;
    line >> transaction >> turn;
    one.token = {transaction, turn};
    one.certain_until = time_in(line);
    line >> one.session >> one.node;
    one.granted = time;
    return static_cast<bool>(line);
  }
  case 'B':
    one.is_of_body = true;
    return static_cast<bool>(line >> one.is_elsewhere);
  case 'T':
    return static_cast<bool>(line >> one.limit_end);
  case 'V':
  case 'R':
    extend(one.certain_until, time_in(line));
    if (what == 'R') one.release_begun = time;
    return true;
  case 'w':
    one.downgrade_begun = time;
    return true;
  case 'W':
    one.downgraded = time;
    return true;
  case 'L':
    one.lost = time;
    return true;
  case 'D':
    one.released = time;
    return true;
  case 'E':
    one.failed = time;
    line >> one.error;
    return true;
  case 'X':
    ++all.refused;
    return true;
  case 'K':
  case 'k':
  case 'u': {
    std::string node;
    line >> node;
    if (what == 'k')
      all.not_committed.push_back(node);
    else
      (what == 'K' ? all.committed : all.unknown_commits).push_back({node, time});
    return static_cast<bool>(line);
  }
  case 'F':
  case 'U':
  case 'N':
  case 'n': {
    addition added;
    line >> added.set;
    if (what == 'F' || what == 'U') line >> added.element;
    auto& list = what == 'F'   ? all.fenced
                 : what == 'U' ? all.unfenced
                 : what == 'N' ? all.counted
                               : all.counted_unchecked;
    list.push_back(std::move(added));
    return static_cast<bool>(line);
  }
  default:
    return false;
  }
}

} // namespace

std::int64_t field_of(std::string_view message, std::string_view name) {
  const auto text = ' ' + std::string(name) + "=0x";
  const auto place = message.find(text);
  if (place == message.npos) return 0;
  return static_cast<std::int64_t>(
      std::stoull(std::string(message.substr(place + text.size())), nullptr, 16));
}

history read_history(std::istream& in, std::string process) {
  history all;
  all.process = std::move(process);
  for (std::string text; std::getline(in, text);) {
    // A killed process may leave half a line.
    if (in.eof()) break;
    std::istringstream line(text);
    char what = 0;
    nanoseconds time = 0;
    std::uint64_t number = 0;
    line >> what >> time >> number;
    if (line && what == 'M') {
      std::getline(line >> std::ws, text);
      all.messages.push_back({text, time});
      continue;
    }
    const bool known = line && (what == 'A' || all.operations.contains(number));
    if (!known || !read_rest(line, what, time, all, all.operations[number]))
      all.bad_lines.push_back(text);
  }
  return all;
}

} // namespace chaos
