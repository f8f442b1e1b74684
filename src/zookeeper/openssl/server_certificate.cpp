#include "zookeeper/openssl/server_certificate.hpp"

#include "support/text_character.hpp"
#include "zookeeper/openssl/pointers.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>

#include <openssl/x509v3.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <optional>
#include <utility>

namespace zklock::zookeeper::openssl {

namespace {

/// The address in a host of the server list; nothing if the host is a name.
std::optional<boost::asio::ip::address> address_of(const std::string& host) {
  boost::system::error_code is_name;
  const auto address = boost::asio::ip::make_address(host, is_name);
  if (is_name) return std::nullopt;
  return address;
}

template <class Bytes>
Bytes copied(Bytes bytes, const unsigned char* from) {
  std::copy_n(from, bytes.size(), bytes.begin());
  return bytes;
}

std::string text_of(const GENERAL_NAME& name) {
  int type = 0;
  const auto* const value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(&name, &type));
  if (type != GEN_DNS && type != GEN_IPADD) return {};
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
  const auto* const data = ASN1_STRING_get0_data(value);
  if (type == GEN_DNS) return detail::excerpt({reinterpret_cast<const char*>(data), size});
  if (const auto bytes = boost::asio::ip::address_v4::bytes_type{}; size == bytes.size())
    return boost::asio::ip::address_v4(copied(bytes, data)).to_string();
  if (const auto bytes = boost::asio::ip::address_v6::bytes_type{}; size == bytes.size())
    return boost::asio::ip::address_v6(copied(bytes, data)).to_string();
  return {};
}

std::string text_of(const X509_NAME* name) {
  const auto to = allocated(bio_pointer(BIO_new(BIO_s_mem())));
  X509_NAME_print_ex(to.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(to.get(), &data);
  return detail::printable({data, std::min(static_cast<std::size_t>(size), std::size_t{200})});
}

std::string text_of(const ASN1_TIME* time) {
  std::tm parts{};
  char text[32];
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

} // namespace

std::string name_of_host(const std::string& host) {
  if (address_of(host)) return {};
  return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

bool is_for(X509* certificate, const std::string& host) {
  if (const auto address = address_of(host)) {
    const auto matches = [certificate](const auto& bytes) {
      return X509_check_ip(certificate, bytes.data(), bytes.size(), 0) == 1;
    };
    return address->is_v4() ? matches(address->to_v4().to_bytes())
                            : matches(address->to_v6().to_bytes());
  }
  constexpr unsigned flags =
      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  const auto name = name_of_host(host);
  return X509_check_host(certificate, name.data(), name.size(), flags, nullptr) == 1;
}

std::string listed(const std::vector<std::string>& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == names.size() ? last : ", ").append(names[i]);
  return text;
}

std::string names_of(X509* certificate) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  const names_pointer all{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  const int count = all ? sk_GENERAL_NAME_num(all.get()) : 0;
  for (int i = 0; i < count && names.size() <= most; ++i)
    if (auto text = text_of(*sk_GENERAL_NAME_value(all.get(), i)); !text.empty())
      names.push_back(std::move(text));
  if (names.empty()) return "no name, since it has no subjectAltName";
  if (names.size() > most) names.back() = "more";
  return listed(names, " and ");
}

std::chrono::system_clock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string refusal_of(const X509* certificate, int error) {
  switch (certificate ? error : X509_V_ERR_UNSPECIFIED) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return "its certificate has expired: " + text_of(X509_get_subject_name(certificate)) +
           " was valid until " + text_of(X509_get0_notAfter(certificate));
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return "its certificate is not valid yet: " + text_of(X509_get_subject_name(certificate)) +
           " is valid from " + text_of(X509_get0_notBefore(certificate)) + " on";
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    return "the authority of its certificate is unknown to the client: " +
           text_of(X509_get_issuer_name(certificate));
  case X509_V_ERR_CERT_REVOKED:
    return "its certificate is revoked: " + text_of(X509_get_subject_name(certificate));
  default:
    return std::string("its certificate is refused: ") + X509_verify_cert_error_string(error);
  }
}

} // namespace zklock::zookeeper::openssl
