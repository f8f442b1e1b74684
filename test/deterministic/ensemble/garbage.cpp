#include "garbage.hpp"

#include <cstddef>

namespace deterministic::servers {
namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t xid_size = 4;

} // namespace

garbler::then garbler::spoil(std::string& frame) {
  if (how_ == garbage::none || !dice_.chance(percent_)) return then::go_on;
  switch (how_) {
  case garbage::none:
    break;
  case garbage::random_bytes:
    for (std::size_t i = length_size; i < frame.size(); ++i)
      frame[i] = static_cast<char>(dice_.below(256));
    break;
  case garbage::wrong_xid:
    for (std::size_t i = length_size; i < length_size + xid_size && i < frame.size(); ++i)
      frame[i] = static_cast<char>(frame[i] ^ static_cast<char>(dice_.between(1, 127)));
    break;
  case garbage::truncated_frame:
    frame.resize(dice_.below(frame.size()));
    return then::close;
  case garbage::huge_length:
    // 16 to 32 MiB: the client allocates it.
    frame[0] = '\1';
    frame[1] = static_cast<char>(dice_.below(256));
    break;
  case garbage::silence:
    frame.clear();
    break;
  }
  return then::go_on;
}

} // namespace deterministic::servers
