#pragma once

#include <boost/test/unit_test.hpp>

#include <future>
#include <string>
#include <vector>

namespace zklock::test {

/// Plays a script on a real server and on a server in memory simultaneously. Both must give equal
/// lines.
template <class Script>
void compare(const std::string& real, const std::string& memory, Script script) {
  auto expected = std::async(std::launch::async, [&] { return script(real); });
  const std::vector<std::string> actual = script(memory);
  BOOST_TEST(actual == expected.get(), boost::test_tools::per_element());
}

} // namespace zklock::test
