#pragma once

#include "zookeeper/c_client.hpp"
#include "zookeeper/exchange.hpp"
#include "zookeeper/handle_end.hpp"
#include "zookeeper/reply_reader.hpp"
#include "zookeeper/request.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/wire.hpp"

#include <string>
#include <vector>

namespace zklock::zookeeper {

/// Passes requests to the C client.
///
/// Each function returns whether the request was sent. A request that the C client refuses makes
/// the handle lost.
class request_writer {
 public:
  /// `access_list`: the access control list of each created node. It must outlive the requests.
  request_writer(zhandle_t* library, wire& through, exchanges& sent, reply_reader& replies,
                 handle_end& end, const std::vector<access>& access_list);

  request_writer(const request_writer&) = delete;
  request_writer& operator=(const request_writer&) = delete;

  bool send(const request& what, receiver& to, request_tag tag);

  /// Also returns false if the watch has triggered meanwhile.
  bool remove_watch(const std::string& path, watch_kind kind);

  bool sync(const std::string& path);

 private:
  int make(const create_directory& what, exchange& made);
  int make(const create_entry& what, exchange& made);
  int make(const remove& what, exchange& made);
  int make(const list& what, exchange& made);
  int make(const list_own& what, exchange& made);
  int make(const get& what, exchange& made);
  int make(const exists& what, exchange& made);
  int make(const set& what, exchange& made);
  int make(const check& what, exchange& made);
  int make(const transact& what, exchange& made);
  int make(const confirm& what, exchange& made);
  void prepare(zoo_op_t& operation, const write& one, exchange& made);
  watcher_fn watcher(bool wanted) const noexcept {
    return wanted ? &reply_reader::on_event : nullptr;
  }

  zhandle_t* const library_;
  wire& wire_;
  exchanges& sent_;
  reply_reader& replies_;
  handle_end& end_;
  std::vector<ACL> access_;
  ACL_vector access_list_{};
  std::vector<zoo_op_t> operations_;
};

} // namespace zklock::zookeeper
