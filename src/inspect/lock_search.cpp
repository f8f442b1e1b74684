// Finds the locks below a path.

#include "inspect/description.hpp"
#include "inspect/paced_requests.hpp"
#include "inspect/participant_use.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"
#include "inspect/tree_search.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zklock::detail {

namespace {

using zookeeper::status;

class lock_search final : public query_operation<std::vector<found_lock>> {
 public:
  lock_search(open_queries& all, operation<error_code, std::vector<found_lock>> op,
              std::string root, std::size_t levels)
      : query_operation(all, std::move(op)), root_(std::move(root)), levels_(levels) {}

 private:
  /// A request that has no reply yet.
  using request_sent = std::variant<std::monostate, tree_search::directory, tree_search::reading>;

  void started() override {
    if (!is_node_path(root_)) return fail(errc::bad_path);
    search_.begin(core().chroot(), root_, levels_);
    root_path_ = search_.directories().front().path;
  }

  void begin() override { proceed(); }

  void interrupted() override {
    for (auto& each : sent_) {
      if (auto* const unlisted = std::get_if<tree_search::directory>(&each))
        search_.directories().push_back(std::move(*unlisted));
      else if (const auto* const unread = std::get_if<tree_search::reading>(&each))
        search_.readings().push_back(*unread);
    }
    sent_.clear();
    free_.clear();
  }

  // Participants first: the participants of a lock are read before further directories are listed.
  void proceed() {
    while (in_flight() < paced_requests::most && !search_.readings().empty()) {
      const auto next = search_.readings().back();
      search_.readings().pop_back();
      session().send(zookeeper::get{.path = next.target->node}, *this, ask(0, remember(next)));
    }
    while (in_flight() < paced_requests::most && !search_.directories().empty()) {
      const auto next = std::move(search_.directories().back());
      search_.directories().pop_back();
      session().send(zookeeper::list{.path = next.path}, *this, ask(0, remember(next)));
    }
    if (in_flight() == 0) tell();
  }

  void tell() {
    auto all = search_.take();
    for (auto& each : all)
      settle_use(locks(), each.participants);
    complete({}, std::move(all));
  }

  std::size_t in_flight() const noexcept { return sent_.size() - free_.size(); }

  std::size_t remember(request_sent made) {
    if (free_.empty()) {
      sent_.push_back(std::move(made));
      return sent_.size() - 1;
    }
    const auto which = free_.back();
    free_.pop_back();
    sent_[which] = std::move(made);
    return which;
  }

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const auto which = static_cast<std::size_t>(tag.which);
    const request_sent done = std::move(sent_[which]);
    sent_[which].emplace<std::monostate>();
    free_.push_back(which);
    if (const auto* const read = std::get_if<tree_search::reading>(&done))
      note(*read, reply);
    else
      note(std::get<tree_search::directory>(done), reply);
    if (!is_over()) proceed();
  }

  void note(const tree_search::directory& listed, const zookeeper::reply& reply) {
    const bool missing = reply.result == status::no_node;
    if (root_is_missing_) return fail(missing ? errc::no_chroot : errc::no_node);
    if (missing && listed.path == root_path_) return look_for_chroot();
    if (reply.result == status::ok)
      search_.listed(listed,
                     listed_children{.names = {reply.children.begin(), reply.children.end()},
                                     .ever = reply.children_ever});
    else if (missing)
      search_.listed(listed, std::nullopt);
    else
      search_.refused(listed, error_of(reply.result));
  }

  // The root is the only directory of a search that has just begun.
  void look_for_chroot() {
    const std::string chroot(core().chroot());
    if (chroot == root_path_) return fail(errc::no_chroot);
    if (chroot.empty()) return fail(errc::no_node);
    root_is_missing_ = true;
    search_.directories().push_back({.path = chroot});
  }

  static void note(const tree_search::reading& read, const zookeeper::reply& reply) {
    if (reply.result == status::ok)
      describe(*read.target, reply);
    else if (reply.result == status::no_node)
      read.target->node.clear();
    else
      read.of->error = error_of(reply.result);
  }

  const std::string root_;
  const std::size_t levels_;
  tree_search search_;
  std::string root_path_;
  bool root_is_missing_ = false;
  std::vector<request_sent> sent_;
  std::vector<std::size_t> free_;
};

} // namespace

void start_lock_search(const std::shared_ptr<lock_calls>& client, const std::string& root,
                       std::size_t levels, handler<found_locks_signature> handler) {
  start_query<lock_search>(client, std::move(handler), root, levels);
}

} // namespace zklock::detail
