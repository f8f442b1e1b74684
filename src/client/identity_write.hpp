#pragma once

#include "client/acquisition.hpp"
#include "client/operation.hpp"
#include "client/query.hpp"
#include "queue/entry.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace zklock::detail {

/// Writes the wanted identity of a hold into its node, until the node has the newest wanted
/// identity. A release request in the node stays there. Used on the client's strand only.
///
/// Invariant: a hold has at most a single write under way. The first `covered_` operations wait for
/// the request in flight.
class identity_write final : public query {
 public:
  identity_write(open_queries& all, std::shared_ptr<acquisition> held) noexcept
      : query(all), held_(std::move(held)) {}

  /// Completes the operation once the identity is written that is wanted by now.
  void add(operation<error_code> op) { waiting_.push_back(std::move(op)); }
  void cancel(const operation<error_code>& op);

  void drop() noexcept override;

 private:
  enum : int { write, read };

  bool lasting() const noexcept override { return true; }
  void begin() override;
  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override;
  void failed(error_code why) override;

  const std::string& wanted() const noexcept;
  void send_read();
  void send_write();
  void looked(const zookeeper::reply& reply);
  void written();
  void missing();

  const std::shared_ptr<acquisition> held_;
  // The node of the request in flight, and the identity that the node gets.
  std::string node_;
  queue::identity_pointer sent_;
  std::vector<operation<error_code>> waiting_;
  std::size_t covered_ = 0;
};

/// Has the node of a hold get this identity; null stands for the client's. Completes the operation,
/// if not null.
void write_identity(open_queries& all, acquisition& held, queue::identity_pointer identity,
                    operation<error_code> op);

} // namespace zklock::detail
