#include "forebay/env/real/tls_trouble.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <openssl/err.h>

namespace forebay::real {
namespace {

std::string text_in(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<std::size_t>(size));
}

std::string name_text(const X509_NAME* name) {
  const OpensslOwned<BIO> bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  return text_in(bio.get());
}

std::string time_text(const ASN1_TIME* time) {
  const OpensslOwned<BIO> bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print_ex(bio.get(), time, ASN1_DTFLGS_ISO8601);
  return text_in(bio.get());
}

// "db.example, *.db.example"
std::string names_text(const X509* certificate) {
  const OpensslOwned<GENERAL_NAMES> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string text;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* const bytes = ASN1_STRING_get0_data(name->d.dNSName);
    if (!text.empty()) text += ", ";
    text.append(reinterpret_cast<const char*>(bytes),
                static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  return text.empty() ? subject_text(certificate) : text;
}

std::string certificate_trouble(long code, const X509* certificate,
                                const std::string& server_name) {
  const bool is_of_server = !server_name.empty();
  const std::string whose = is_of_server ? "the certificate of " + server_name
                                         : "the client's certificate, " + subject_text(certificate);
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("{} expired at {}; it must be renewed there", whose,
                         time_text(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("{} is not valid before {}; is the clock of this machine right?", whose,
                         time_text(X509_get0_notBefore(certificate)));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format(
          "{} is for {}; connect by a name that it has, or have one issued for this "
          "name",
          whose, names_text(certificate));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return fmt::format(
          "{} is signed by itself, and nobody whom this machine trusts vouches for "
          "it; name it as the CA file to trust it",
          whose);
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return fmt::format(
          "{} was issued by {}, whom this machine does not trust; name that CA's "
          "certificate as the CA file",
          whose, name_text(X509_get_issuer_name(certificate)));
    default: return fmt::format("{} does not hold: {}", whose, X509_verify_cert_error_string(code));
  }
}

}  // namespace

std::string openssl_trouble() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "no reason was given";
  if (const char* const reason = ERR_reason_error_string(code)) return reason;
  std::array<char, 256> text{};
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

std::string subject_text(const X509* certificate) {
  return name_text(X509_get_subject_name(certificate));
}

void note_certificates(SSL* session, CertificateNote& note) { SSL_set_app_data(session, &note); }

int verify_and_note(int is_good, X509_STORE_CTX* store) {
  if (is_good != 0) return is_good;
  const auto* const session =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& note = *static_cast<CertificateNote*>(SSL_get_app_data(session));
  X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  if (certificate != nullptr && note.certificate == nullptr) {
    X509_up_ref(certificate);
    note.certificate.reset(certificate);
    note.code = X509_STORE_CTX_get_error(store);
  }
  return is_good;
}

std::string handshake_trouble(const CertificateNote& note, const std::string& server_name) {
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  const std::string text = openssl_trouble();
  if (note.certificate != nullptr)
    return certificate_trouble(note.code, note.certificate.get(), server_name);
  const bool is_tls = reason != SSL_R_WRONG_VERSION_NUMBER && reason != SSL_R_HTTP_REQUEST;
  return is_tls ? text : fmt::format("the other side does not speak TLS here ({})", text);
}

}  // namespace forebay::real
