#include "fake_limited_resource.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

/// Marks the resource as used, also for other processes. The mark goes when the process ends for
/// any reason.
class use_mark {
 public:
  explicit use_mark(const fs::path& file)
      : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    const int problem = errno;
    ::close(descriptor_);
    if (problem == EWOULDBLOCK) throw std::logic_error("two use the resource at once");
    throw std::system_error(problem, std::generic_category(), "cannot mark " + file.string());
  }
  ~use_mark() { ::close(descriptor_); }
  use_mark(const use_mark&) = delete;
  use_mark& operator=(const use_mark&) = delete;

 private:
  int descriptor_;
};

std::chrono::microseconds some_work() {
  static std::minstd_rand random{std::random_device{}()};
  return std::chrono::microseconds(std::uniform_int_distribution<>(0, 3000)(random));
}

} // namespace

fake_limited_resource::fake_limited_resource(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::is_directory(folder_))
    throw std::runtime_error("there is no folder " + folder_.string());
  read();
}

asio::awaitable<std::uint64_t> fake_limited_resource::next() {
  const use_mark mark(folder_ / "in_use");
  const auto number = read() + 1;
  // The wait throws when the lock is lost, and nothing is written.
  asio::steady_timer work(co_await asio::this_coro::executor, some_work());
  co_await work.async_wait(asio::use_awaitable);
  write(number);
  co_return number;
}

std::uint64_t fake_limited_resource::read() const {
  const auto file = folder_ / "last_number";
  if (!fs::exists(file)) return 0;
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (!(in >> number)) throw std::runtime_error(file.string() + " has no number");
  return number;
}

// The new file replaces the old file in one step, so that a crash leaves a whole file.
void fake_limited_resource::write(std::uint64_t number) const {
  const auto fresh = folder_ / "last_number.new";
  std::ofstream out(fresh);
  out << number << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + fresh.string());
  fs::rename(fresh, folder_ / "last_number");
}
