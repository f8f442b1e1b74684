#include <zklock/testing/authority.hpp>

#include "testing/child_process.hpp"
#include "testing/find_program.hpp"
#include "testing/last_lines.hpp"
#include "testing/temporary_directory.hpp"

#include <charconv>
#include <ctime>
#include <fstream>
#include <system_error>
#include <utility>

namespace zklock::testing {

namespace {

namespace fs = std::filesystem;

// All names are relative to the folder, in which the program runs.
constexpr auto ca_configuration = R"([ca]
default_ca = authority
[authority]
database = index.txt
serial = serial
new_certs_dir = .
certificate = authority.pem
private_key = authority.key
default_md = sha256
default_crl_days = 1
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = any_name
[any_name]
)";

// As the program reads it: 20260203040506Z.
std::string in_utc(std::chrono::seconds from_now) {
  const auto time =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + from_now);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%SZ", &parts)};
}

// An address has no letters beyond f, and a name no colon.
bool is_address(const std::string& host) {
  return host.find(':') != host.npos || host.find_first_not_of("0123456789.") == host.npos;
}

std::string extensions(const certificate_options& options) {
  std::string text = "extendedKeyUsage=serverAuth,clientAuth\n";
  for (const auto& host : options.hosts)
    text.append(text.ends_with('\n') ? "subjectAltName=" : ",")
        .append(is_address(host) ? "IP:" : "DNS:")
        .append(host);
  return text + '\n';
}

} // namespace

class authority::impl {
 public:
  explicit impl(const std::string& name) {
    if (openssl_.empty())
      throw error("there is no program openssl on the PATH. Install it (on Debian the package "
                  "openssl)");
    write("ca.cnf", ca_configuration);
    write("index.txt", "");
    write("serial", "1000\n");
    auto command = request("authority", {.name = name});
    command.insert(command.end(), {"-x509", "-days", "30", "-addext",
                                   "basicConstraints=critical,CA:TRUE", "-out", "authority.pem"});
    run(command);
  }

  fs::path file(const std::string& name) const { return folder_.path() / name; }

  certificate_files issue(const certificate_options& options) {
    const auto base = "certificate-" + std::to_string(++made_);
    auto command = request(base, options);
    command.insert(command.end(), {"-out", base + ".request"});
    run(command);
    write(base + ".extensions", extensions(options));
    run({"ca", "-config", "ca.cnf", "-batch", "-notext", "-in", base + ".request", "-out",
         base + ".pem", "-extfile", base + ".extensions", "-startdate", in_utc(options.valid_from),
         "-enddate", in_utc(options.valid_until)});
    write(base + ".both", contents(base + ".key") + contents(base + ".pem"));
    return {file(base + ".pem"), file(base + ".key"), file(base + ".both")};
  }

  fs::path revoke(const std::vector<certificate_files>& revoked) {
    for (const auto& each : revoked)
      run({"ca", "-config", "ca.cnf", "-revoke", each.certificate.string()});
    const auto name = "revoked-" + std::to_string(++made_) + ".pem";
    run({"ca", "-config", "ca.cnf", "-gencrl", "-out", name});
    return file(name);
  }

 private:
  /// The command that makes a key, without the name of its output.
  static std::vector<std::string> request(const std::string& base,
                                          const certificate_options& options) {
    std::vector<std::string> command{
        "req",      "-config", "ca.cnf",      "-new",  "-newkey",
        "rsa:2048", "-keyout", base + ".key", "-subj", "/CN=" + options.name};
    if (options.key == key_kind::p256) {
      command[5] = "ec";
      command.insert(command.end(), {"-pkeyopt", "ec_paramgen_curve:prime256v1"});
    }
    if (options.passphrase.empty())
      command.emplace_back("-nodes");
    else
      command.insert(command.end(), {"-passout", "pass:" + options.passphrase});
    return command;
  }

  void run(std::vector<std::string> arguments) const {
    const auto log = file("log");
    arguments.insert(arguments.begin(), openssl_.string());
    const child_process running({.command = std::move(arguments),
                                 .folder = folder_.path(),
                                 .log = log,
                                 .kept_open = folder_.lifeline()});
    if (running.wait() != 0)
      throw error("openssl " + running.how_it_ended() + "; the end of its output:\n" +
                  last_lines(log, 10));
  }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream out(file(name));
    out << content;
    if (!out.flush()) throw error("cannot write the file " + file(name).string());
  }

  std::string contents(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const fs::path openssl_ = find_program("openssl");
  temporary_directory folder_;
  int made_ = 0;
};

authority::authority(const std::string& name) : impl_(std::make_unique<impl>(name)) {}
authority::~authority() = default;
authority::authority(authority&& other) noexcept = default;
authority& authority::operator=(authority&& other) noexcept = default;

std::filesystem::path authority::certificate() const {
  return impl_->file("authority.pem");
}

certificate_files authority::issue(const certificate_options& options) {
  return impl_->issue(options);
}

std::filesystem::path authority::revoke(const std::vector<certificate_files>& revoked) {
  return impl_->revoke(revoked);
}

} // namespace zklock::testing
