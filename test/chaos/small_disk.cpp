#include "chaos/small_disk.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <fstream>
#include <string>

namespace chaos {

small_disk::small_disk(const std::filesystem::path& folder, std::size_t size)
    : folder_(folder),
      exists_(::mount("chaos", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
                      ("size=" + std::to_string(size) + "m").c_str()) == 0) {}

small_disk::~small_disk() {
  if (exists_) ::umount2(folder_.c_str(), MNT_DETACH);
}

void small_disk::fill() const {
  std::ofstream out(ballast(), std::ios::binary);
  // Smaller pieces at the end, so that nothing is left.
  for (std::size_t size = std::size_t{1} << 20; size > 0; size /= 16) {
    const std::string piece(size, 'x');
    out.clear();
    while (out.write(piece.data(), static_cast<std::streamsize>(size)).flush()) {}
  }
}

void small_disk::free() const {
  std::filesystem::remove(ballast());
}

bool leave_namespaces(bool network) {
  if (::unshare(CLONE_NEWNS | (network ? CLONE_NEWNET : 0)) != 0) return false;
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

} // namespace chaos
