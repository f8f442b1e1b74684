#include "redis_connection.hpp"

#include <sys/socket.h>

#include <cstddef>
#include <stdexcept>

namespace bench {

namespace {

redisContext* connect(const std::string& server) {
  const auto colon = server.rfind(':');
  if (colon == server.npos)
    throw std::invalid_argument("invalid server \"" + server + "\": must be host:port");
  return redisConnect(server.substr(0, colon).c_str(), std::stoi(server.substr(colon + 1)));
}

} // namespace

redis_connection::redis_connection(const std::string& server)
    : context_(connect(server), redisFree) {
  if (!context_) throw std::runtime_error("no memory for a connection");
  if (context_->err != 0) fail("cannot connect to " + server);
}

redis_connection::reply redis_connection::call(const std::vector<std::string>& command) {
  std::vector<const char*> arguments;
  std::vector<std::size_t> sizes;
  for (const auto& argument : command) {
    arguments.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  void* const got = redisCommandArgv(context_.get(), static_cast<int>(arguments.size()),
                                     arguments.data(), sizes.data());
  reply answer(static_cast<redisReply*>(got), freeReplyObject);
  if (!answer) fail("no reply to " + command.front());
  if (answer->type == REDIS_REPLY_ERROR)
    throw std::runtime_error(command.front() + ": " + std::string(answer->str, answer->len));
  return answer;
}

bool redis_connection::wait_for_message() {
  void* got = nullptr;
  if (redisGetReply(context_.get(), &got) != REDIS_OK) return false;
  freeReplyObject(got);
  return true;
}

void redis_connection::cut() {
  ::shutdown(context_->fd, SHUT_RDWR);
}

void redis_connection::fail(const std::string& what) const {
  throw std::runtime_error(what + ": " + context_->errstr);
}

} // namespace bench
