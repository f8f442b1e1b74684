// fencing_token: its order and its text.
//
// Source: M. Kleppmann, "How to do distributed locking" (2016).
#include <zklock/fencing_token.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <sstream>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(token, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(tokens_are_ordered_by_transaction_then_turn) {
  BOOST_TEST((fencing_token() < fencing_token(1, 0)));
  BOOST_TEST((fencing_token(1, 9) < fencing_token(2, 0)));
  BOOST_TEST((fencing_token(2, 0) < fencing_token(2, 1)));
  BOOST_TEST((fencing_token(2, 1) == fencing_token(2, 1)));
}

BOOST_AUTO_TEST_CASE(token_text_sorts_as_the_tokens_do) {
  const fencing_token tokens[] = {
      {},       {9, 10},          {10, 9},
      {10, 10}, {0x100000000, 0}, {std::numeric_limits<std::int64_t>::max(), 0}};
  for (const auto& a : tokens)
    for (const auto& b : tokens)
      BOOST_TEST((a < b) == (a.to_string() < b.to_string()));
  std::ostringstream out;
  out << fencing_token(0xabc, 0x1f);
  BOOST_TEST(out.str() == "0000000000000abc-0000001f");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
