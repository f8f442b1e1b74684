#include "testing/stat_codec.hpp"

namespace zklock::testing {

void put_stat(detail::jute_writer& out, const node_stat& stat) {
  out.put_long(stat.czxid);
  out.put_long(stat.mzxid);
  out.put_long(stat.ctime);
  out.put_long(stat.mtime);
  out.put_int(stat.version);
  out.put_int(stat.cversion);
  out.put_int(stat.aversion);
  out.put_long(stat.ephemeral_owner);
  out.put_int(stat.data_length);
  out.put_int(stat.num_children);
  out.put_long(stat.pzxid);
}

node_stat take_stat(checked_reader& in) {
  node_stat stat;
  stat.czxid = in.take_long();
  stat.mzxid = in.take_long();
  stat.ctime = in.take_long();
  stat.mtime = in.take_long();
  stat.version = in.take_int();
  stat.cversion = in.take_int();
  stat.aversion = in.take_int();
  stat.ephemeral_owner = in.take_long();
  stat.data_length = in.take_int();
  stat.num_children = in.take_int();
  stat.pzxid = in.take_long();
  return stat;
}

} // namespace zklock::testing
