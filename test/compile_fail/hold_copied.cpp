// error: (use of deleted function|call to implicitly-deleted copy constructor)
#include <zklock/hold.hpp>

#include <vector>

void keep(std::vector<zklock::hold>& holds, const zklock::hold& held) {
  const zklock::hold copy = held; // wrong
}
