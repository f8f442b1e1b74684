#include "event.hpp"

namespace exhaustive {

const char* to_string(step what) noexcept {
  static constexpr const char* names[] = {"acquire",
                                          "acquire to read",
                                          "acquire two permits",
                                          "try",
                                          "give up",
                                          "downgrade",
                                          "lose the connection",
                                          "end the session",
                                          "delete an entry by hand",
                                          "delete the directory",
                                          "check the entries",
                                          "foreign acquire",
                                          "foreign crash",
                                          "release",
                                          "carry out a request",
                                          "deliver a message",
                                          "notice the loss",
                                          "connect",
                                          "foreign deliver",
                                          "foreign release",
                                          "end the foreign session"};
  return names[static_cast<std::size_t>(what)];
}

std::string to_string(const event& one) {
  return std::string(to_string(one.what)) + " [" + std::to_string(one.client) + ", " +
         std::to_string(one.which) + (one.unproven ? ", not proven]" : "]");
}

} // namespace exhaustive
