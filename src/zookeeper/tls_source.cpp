#include "zookeeper/tls_source.hpp"

#include "support/unique_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <system_error>
#include <utility>

namespace zklock::zookeeper {

namespace {

constexpr std::size_t longest_file = std::size_t{4} << 20;

[[noreturn]] void refuse_by_errno(const std::string& name) {
  throw tls_refusal(name, std::generic_category().message(errno));
}

std::string contents_of(const std::string& name, const std::string& path) {
  // Without O_NONBLOCK, opening a FIFO would block.
  const detail::unique_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  if (file.get() < 0) refuse_by_errno(name);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse_by_errno(name);
  if (!S_ISREG(status.st_mode)) throw tls_refusal(name, "is not a regular file");
  std::string text;
  char piece[16 * 1024];
  for (;;) {
    const auto size = ::read(file.get(), piece, sizeof piece);
    if (size == 0) return text;
    if (size < 0 && errno != EINTR) refuse_by_errno(name);
    if (size > 0) text.append(piece, static_cast<std::size_t>(size));
    if (text.size() > longest_file) throw tls_refusal(name, "is longer than 4 MiB");
  }
}

named_pem read_source(const char* option, const pem_source& from) {
  std::string name = std::string("tls.") + option;
  if (from.file.empty()) return {std::move(name), from.text};
  name += " \"" + from.file + '"';
  auto text = contents_of(name, from.file);
  if (text.empty()) throw tls_refusal(name, "is empty");
  return {std::move(name), std::move(text)};
}

bool is_given(const pem_source& source) noexcept {
  return !source.file.empty() || !source.text.empty();
}

void check_source(const char* option, const pem_source& source, bool has_provider) {
  const auto name = std::string("tls.") + option;
  if (!source.file.empty() && !source.text.empty())
    throw tls_refusal(name, "must be a file or a text, not both");
  if (has_provider && is_given(source))
    throw tls_refusal(name, "must be empty, since tls.provider returns it");
}

} // namespace

tls_source::tls_source(const tls_options& options) : options_(options) {
  const bool has_provider = calls_provider();
  check_source("authorities", options_.authorities, has_provider);
  check_source("certificate", options_.certificate, has_provider);
  check_source("key", options_.key, has_provider);
  check_source("revoked", options_.revoked, has_provider);
  if (has_provider && !options_.passphrase.empty())
    throw tls_refusal("tls.passphrase", "must be empty, since tls.provider returns it");
  if (is_given(options_.key) && !is_given(options_.certificate))
    throw tls_refusal("tls.key", "has no tls.certificate");
}

tls_material tls_source::read() const {
  if (!calls_provider())
    return {.authorities = read_source("authorities", options_.authorities),
            .certificate = read_source("certificate", options_.certificate),
            .key = read_source("key", options_.key),
            .passphrase = options_.passphrase,
            .revoked = read_source("revoked", options_.revoked)};
  try {
    auto given = options_.provider();
    return {.authorities = {"tls.provider, authorities", std::move(given.authorities)},
            .certificate = {"tls.provider, certificate", std::move(given.certificate)},
            .key = {"tls.provider, key", std::move(given.key)},
            .passphrase = std::move(given.passphrase),
            .revoked = {"tls.provider, revoked", std::move(given.revoked)}};
  } catch (const std::exception& thrown) {
    throw tls_refusal("tls.provider", std::string("it has thrown: ") + thrown.what());
  } catch (...) {
    throw tls_refusal("tls.provider", "it has thrown an exception");
  }
}

} // namespace zklock::zookeeper
