#include "zookeeper/handle_end.hpp"

#include <utility>

namespace zklock::zookeeper {

void handle_end::lose(int code) noexcept {
  if (!lost_) code_ = code;
  lost_ = true;
}

void handle_end::cannot_send(const char* name, int code) noexcept {
  if (!lost_) unsent_ = name;
  lose(code);
}

void handle_end::reject_server(std::string why) {
  rejected_ = true;
  logged_ = std::move(why);
  lose(ZCONNECTIONLOSS);
}

void handle_end::reject_data(std::string resurrected) {
  rejected_ = true;
  resurrected_ = std::move(resurrected);
}

std::string handle_end::message(const std::optional<server_fault>& fault) const {
  if (unsent_)
    return std::string("a request to ") + unsent_ + " could not be sent: " + zerror(code_);
  if (fault) return fault->text;
  return logged_.empty() ? zerror(code_) : logged_;
}

} // namespace zklock::zookeeper
