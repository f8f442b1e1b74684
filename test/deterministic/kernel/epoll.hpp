#pragma once

#include "deterministic/kernel/file.hpp"

#include <sys/epoll.h>

#include <memory>
#include <vector>

namespace deterministic {

/// An instance of epoll. A registration belongs to a descriptor's number and its file: it outlives
/// the descriptor while the file has another descriptor.
class epoll final : public file {
 public:
  explicit epoll(process* owner) noexcept;
  ~epoll() override;

  int add(int number, file& what, const epoll_event& wanted);
  int modify(int number, file& what, const epoll_event& wanted);
  int remove(int number, file& what);

  /// Returns the ready events in the order in which they became ready. Never waits.
  int wait(epoll_event* events, int most);

  std::uint32_t ready() const override { return ready_.empty() ? 0U : EPOLLIN; }

 private:
  class registration;

  registration* find(int number, const file& what) noexcept;
  void note(registration& which);
  void forget(registration& which) noexcept;
  void released() override;

  std::vector<std::unique_ptr<registration>> registrations_;
  std::vector<registration*> ready_;
  std::vector<registration*> reported_;
};

} // namespace deterministic
