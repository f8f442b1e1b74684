#pragma once

#include <string>

namespace zklock::zookeeper {

/// Describes an error in the reply of a server by ZooKeeper's name and number, for logs. The C
/// client does not know all of them.
std::string error_text(int code);

} // namespace zklock::zookeeper
