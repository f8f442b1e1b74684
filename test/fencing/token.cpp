// fencing_token: its order and its text.
//
// Source: M. Kleppmann, "How to do distributed locking" (2016).
#include <zklock/fencing_token.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <unordered_set>

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

BOOST_AUTO_TEST_CASE(token_is_parsed_from_its_text) {
  using limits = std::numeric_limits<std::int64_t>;
  for (const fencing_token token :
       {fencing_token(), fencing_token(0xabc, 0x1f), fencing_token(limits::max(), 0xffffffff)}) {
    const auto parsed = fencing_token::from_string(token.to_string());
    BOOST_REQUIRE(parsed.has_value());
    BOOST_TEST((*parsed == token));
  }
  for (const auto* const text :
       {"", "0000000000000abc-0000001", "0000000000000abc-0000001f0", "0000000000000abc+0000001f",
        "000000000000 abc-0000001f", "0000000000000abg-0000001f", "0000000000000abc-000000 1f",
        "-000000000000abc-0000001f", "0x00000000000abc-0000001f"})
    BOOST_TEST(!fencing_token::from_string(text), text);
}

BOOST_AUTO_TEST_CASE(tokens_are_hashed_by_both_parts) {
  std::unordered_set<fencing_token> seen;
  for (std::int64_t transaction = 0; transaction < 100; ++transaction)
    for (std::uint32_t turn = 0; turn < 100; ++turn)
      seen.insert({transaction, turn});
  BOOST_TEST(seen.size() == 10'000u);
  BOOST_TEST(seen.contains({7, 7}));
  const std::hash<fencing_token> hash;
  BOOST_TEST(hash({1, 0}) != hash({0, 1}));
}

#if defined(__cpp_lib_format)
BOOST_AUTO_TEST_CASE(token_is_formatted_as_its_text) {
  BOOST_TEST(std::format("{}", fencing_token(0xabc, 0x1f)) == "0000000000000abc-0000001f");
  BOOST_TEST(std::format("{:>27}", fencing_token(0xabc, 0x1f)) == "  0000000000000abc-0000001f");
}
#endif

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
