#include "zookeeper/rotating_tls.hpp"

#include <zklock/error.hpp>

#include "zookeeper/failed_transport.hpp"

#include <boost/system/system_error.hpp>

#include <utility>

namespace zklock::zookeeper {

namespace {

template <class Function>
auto refused_as_option(Function function) {
  try {
    return function();
  } catch (const tls_refusal& refusal) {
    throw boost::system::system_error(errc::bad_option, refusal.what());
  }
}

} // namespace

rotating_tls::rotating_tls(tls_options options)
    : settings_(std::move(options)),
      source_(refused_as_option([this] { return tls_source(settings_); })) {
  // The source has the only copy of the program's function and of the key.
  settings_ = {.authorities = {},
               .verify_names = settings_.verify_names,
               .server_name = std::move(settings_.server_name),
               .min_version = settings_.min_version,
               .ciphers = std::move(settings_.ciphers),
               .cipher_suites = std::move(settings_.cipher_suites)};
  refused_as_option([this] {
    // `read` checks the settings, too.
    if (calls_program())
      tls_context::check(settings_);
    else
      read();
  });
}

std::unique_ptr<transport> rotating_tls::open(const std::string& address,
                                              const std::vector<std::string>& hosts, logger& log) {
  refresh(log);
  if (context_) return context_->open(address, hosts);
  return std::make_unique<failed_transport>("the client has no usable certificates: " + refusal_);
}

void rotating_tls::refresh(logger& log) {
  const auto before = context_;
  try {
    read();
  } catch (const tls_refusal& refusal) {
    refusal_ = refusal.what();
    if (before)
      log.once(
          log_level::warning,
          "new TLS certificates cannot be used, the certificates before stay in use: ", refusal_);
    return;
  }
  if (before && context_ != before) log(log_level::info, "TLS uses new certificates");
}

// The texts are compared: the times of a file do not tell each change.
void rotating_tls::read() {
  auto certificates = source_.read();
  if (context_ && certificates == used_) return;
  context_ = tls_context::make(settings_, certificates);
  used_ = std::move(certificates);
}

} // namespace zklock::zookeeper
