#pragma once

#include "chaos/checker.hpp"

#include <map>
#include <string>
#include <vector>

namespace chaos {

/// Adds violations to a verdict.
class complaints {
 public:
  explicit complaints(verdict& found) : found_(found) {}

  void operator()(const std::string& kind, const std::string& what) {
    ++found_.violations;
    if (++counts_[kind] <= 20) found_.complaints.push_back(kind + ": " + what);
  }

 private:
  verdict& found_;
  std::map<std::string, std::size_t> counts_;
};

/// Checks that a lock is never held by more than its kind allows. The claims are in the order of
/// their beginnings.
void check_overlaps(const std::vector<claim>& claims, std::int64_t permit_limit,
                    complaints& complain);

/// Checks that tokens rise in the order in which a lock is granted.
void check_tokens(const std::vector<claim>& claims, complaints& complain);

/// Checks that a process has logged that data is older where its tokens go back, and that it is so.
void check_told(const evidence& all, complaints& complain, verdict& found);

/// Checks that a connection is lost, and the outcome of a commit with it, by a fault only.
void check_connections(const evidence& all, complaints& complain, verdict& found);

/// Checks that authentication fails only where servers demand it, and that processes go on after
/// that.
void check_authentication(const evidence& all, complaints& complain);

} // namespace chaos
