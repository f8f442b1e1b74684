// Replays the corpus and the regressions of all fuzz targets, without libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#define TARGET(name) extern "C" int fuzz_##name(const std::uint8_t*, std::size_t);
FUZZ_TARGETS
#undef TARGET

namespace {

struct target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};

constexpr target all[] = {
#define TARGET(name) {#name, fuzz_##name},
    FUZZ_TARGETS
#undef TARGET
};

std::size_t replay(const target& one, const std::filesystem::path& folder) {
  if (!exists(folder)) return 0;
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::printf("%s\n", file.path().c_str());
    std::fflush(stdout);
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    one.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++count;
  }
  return count;
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2) return EXIT_FAILURE;
  const std::filesystem::path root(arguments[1]);
  for (const auto& one : all) {
    if (replay(one, root / "corpus" / one.name) == 0) return EXIT_FAILURE;
    replay(one, root / "regressions" / one.name);
  }
}
