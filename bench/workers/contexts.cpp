#include "contexts.hpp"

#include <thread>
#include <vector>

namespace bench {

contexts::contexts(std::size_t size, std::size_t threads_of_each)
    : threads_of_each_(threads_of_each) {
  for (std::size_t i = 0; i < size; ++i)
    all_.emplace_back(static_cast<int>(threads_of_each));
}

void contexts::run() {
  for (auto& each : all_)
    each.restart();
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads(); ++i)
    others.emplace_back([&one = (*this)[i]] { one.run(); });
  all_.front().run();
}

void contexts::stop() {
  for (auto& each : all_)
    each.stop();
}

} // namespace bench
