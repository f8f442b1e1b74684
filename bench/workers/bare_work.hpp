#pragma once

#include "bare_session.hpp"
#include "measurement.hpp"
#include "settings.hpp"

#include <cstddef>
#include <string>

namespace bench {

/// The state that the loops of a worker share.
struct bare_worker {
  const settings& chosen;
  bare_session& session;
  measurement::samples& seen;
};

/// Creates and deletes an ephemeral sequential znode in a loop: the two writes that any lock needs,
/// and nothing else.
class bare_loop {
 public:
  bare_loop(bare_worker& worker, std::size_t waiter);

  /// Runs until the session is closed. The object must not move meanwhile.
  void start();

 private:
  static void on_directory(int code, const char* name, const void* context);
  static void on_created(int code, const char* name, const void* context);
  static void on_deleted(int code, const void* context);
  void created(const std::string& name);

  bare_worker& worker_;
  std::string directory_;
  std::string parent_;
  std::size_t turn_ = 0;
  cycle current_{};
};

/// A process of two that delete, in turn, the znode that their counterpart watches.
class bare_handover {
 public:
  explicit bare_handover(bare_worker& worker);

  /// Begins if this process has the first turn.
  void start();

  void run_until(clock::time_point end);

 private:
  static void on_made(int code, const char* name, const void* context);
  static void on_deleted(int code, const void* context);
  static void on_watch(zhandle_t* handle, int type, int state, const char* path, void* context);
  static void on_watched(int code, const char* value, int size, const Stat* stat,
                         const void* context);
  void make_ours();
  void watch_other();
  void take();
  void pass_on();

  bare_worker& worker_;
  std::string ours_;
  std::string other_;
  bool is_watching_ = false;
  clock::time_point ends_ = clock::time_point::max();
  cycle current_{};
};

} // namespace bench
