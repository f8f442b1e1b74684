#pragma once

#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

namespace zklock::zookeeper {

/// Sends writes that are made without waiting in between as a single transaction, so that the
/// quorum proposes and syncs its disks once.
///
/// A request that may be combined is held back until `flush`. Every other request must be preceded
/// by a `flush`, so the servers get all requests in the order of the calls. A request that is held
/// back alone is sent as it is.
///
/// A transaction does nothing if a part of it fails. The receiver of that part gets the error, and
/// all other receivers get `status::undone`: each receiver knows which requests it has made
/// meanwhile, and makes the undone request again.
///
/// Invariant: a transaction has at most one create of a receiver. The zxid is the fencing token, so
/// tokens of a lock differ and rise.
class write_combiner final {
 public:
  /// The session as the combiner sees it.
  class outlet {
   public:
    /// Sends a request at once.
    virtual void send_now(const request& what, receiver& to, request_tag tag) = 0;
    /// Whether replies are delivered: there is a connection, and its server is not rejected.
    virtual bool is_delivering() const noexcept = 0;
    /// The most bytes of a transaction.
    virtual std::size_t most_bytes() const noexcept = 0;

   protected:
    ~outlet() = default;
  };

  /// `access_bytes`: the size of the access list that each create carries.
  write_combiner(outlet& by, std::size_t access_bytes);

  write_combiner(const write_combiner&) = delete;
  write_combiner& operator=(const write_combiner&) = delete;

  /// Holds a request back until the next `flush`. Returns false, without effect, if the request may
  /// not be combined.
  bool hold(const request& what, receiver& to, request_tag tag);

  /// The number of the held batch; it rises with each flush that sends something.
  std::uint64_t held() const noexcept { return held_.front().number; }

  /// The number of requests that are held back.
  std::size_t size() const noexcept { return held_.front().parts.size(); }

  /// Sends the requests that are held back.
  void flush() { flush(nullptr); }

  /// Sends the requests that are held back, before a request of this receiver.
  void flush_before(const receiver& next) { flush(&next); }

  /// The connection is gone: forgets the requests that are held back or have no reply.
  void clear() noexcept;

 private:
  /// A request: `count` writes of its batch.
  struct part {
    receiver* to;
    request_tag tag;
    std::size_t begin;
    std::size_t count;
  };

  /// Requests that are held back, or that were sent as a transaction, whose reply the batch
  /// receives. The writes behind `used` are kept for their memory.
  struct batch final : receiver {
    explicit batch(write_combiner& by) noexcept : owner(by) {}

    write_combiner& owner;
    std::uint64_t number = 0;
    std::vector<part> parts{};
    std::vector<write> writes{};
    std::size_t used = 0;
    std::size_t bytes = 0;

    void clear() noexcept;
    write& add(std::size_t index);
    bool creates_for(const receiver& one) const noexcept;
    void on_reply(request_tag, const reply& answer) noexcept override {
      owner.answered(*this, answer);
    }
  };

  bool add(const create_entry& what, receiver& to, request_tag tag);
  bool add(const remove& what, receiver& to, request_tag tag);
  bool add(const transact& what, receiver& to, request_tag tag);
  template <class Request>
  bool add(const Request&, receiver&, request_tag) {
    return false;
  }
  batch& with_room(std::size_t count, std::size_t bytes);
  void append(batch& to, part added, std::size_t bytes);

  void flush(const receiver* next);
  void send_together(batch& of, std::size_t count);
  void send_alone(const batch& of, std::size_t begin);
  void answered(const batch& which, const reply& answer) noexcept;
  void deliver(const batch& of, const reply& answer) noexcept;

  outlet& outlet_;
  const std::size_t access_bytes_;
  // The number of the newest batch.
  std::uint64_t last_ = 0;
  // Always a single batch, which may be empty.
  std::list<batch> held_;
  std::list<batch> in_flight_;
  std::list<batch> free_;
};

} // namespace zklock::zookeeper
