#pragma once

#include <zklock/observer.hpp>

#include "world.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace deterministic {

class host;
class life;

/// Counts the events of a client, checks their order, and destroys the client inside some of them.
class callbacks final : public zklock::observer {
 public:
  /// `keeps`: the client keeps locks for its next acquires.
  callbacks(world& world, host& of, std::size_t client, bool keeps) noexcept;

  void state_changed(zklock::connection_state now) override;
  std::shared_ptr<void> acquire_started(const zklock::observed_acquire& what) override;
  void granted(const std::shared_ptr<void>& span, zklock::fencing_token token) override;
  void reentered(const std::shared_ptr<void>& span) override;
  void not_granted(const std::shared_ptr<void>& span, zklock::error_code why) override;
  void lost(const std::shared_ptr<void>& span, zklock::error_code why) override;
  void released(const std::shared_ptr<void>& span) override;

 private:
  enum class stage : std::uint8_t { waiting, holding, ended };

  struct acquire_span {
    /// The path of the lock, as the servers know it.
    std::string path;
    stage now = stage::waiting;
  };

  void go_on(const std::shared_ptr<void>& span, stage from, stage to);
  void check_order(const std::string& lock, zklock::fencing_token token);
  void perhaps_destroy();

  world& world_;
  host& host_;
  const std::shared_ptr<life> life_;
  const std::size_t client_;
  const bool keeps_;
  bool is_closed_ = false;
  /// The newest token of each mutex, since the client was told of older data that often.
  std::map<std::string, zklock::fencing_token, std::less<>> newest_;
  std::size_t told_ = 0;
};

} // namespace deterministic
