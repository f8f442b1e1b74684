#pragma once

#include "chaos/checker.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace chaos {

/// Reads the log of a process.
inline history read(const std::string& text, const std::string& process = "a") {
  std::istringstream in(text);
  return read_history(in, process);
}

/// Returns the evidence for the checks where there is nothing but logs.
inline evidence of(std::vector<history> histories) {
  evidence all;
  all.histories = std::move(histories);
  all.permit_limit = 3;
  return all;
}

/// Returns the log of a hold from `begin` to `end` that is asked for at 1.
inline std::string held(int number, int begin, int end, int token,
                        const std::string& valid = "1000", const std::string& lock = "/l x 1 -1") {
  const auto name = ' ' + std::to_string(number);
  return "A 1" + name + ' ' + lock + "\nG " + std::to_string(begin) + name + ' ' +
         std::to_string(token) + " 0 " + valid + " 7 /l/" + std::to_string(token) + "\nR " +
         std::to_string(end) + name + ' ' + valid + "\nD " + std::to_string(end + 1) + name +
         " 0\n";
}

/// Returns whether the checks find violations, and all of this kind.
inline bool complains(const evidence& all, const std::string& kind) {
  const auto found = check(all);
  for (const auto& each : found.complaints)
    BOOST_TEST_MESSAGE(each);
  BOOST_TEST(found.violations == found.complaints.size());
  return found.violations > 0 &&
         std::all_of(found.complaints.begin(), found.complaints.end(),
                     [&](const auto& each) { return each.starts_with(kind + ": "); });
}

/// Returns whether the checks find no violation.
inline bool is_content(const evidence& all) {
  const auto found = check(all);
  for (const auto& each : found.complaints)
    BOOST_TEST_MESSAGE(each);
  return found.violations == 0;
}

} // namespace chaos
