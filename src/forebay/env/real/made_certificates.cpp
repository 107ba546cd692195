#include "forebay/env/real/made_certificates.hpp"

#include <array>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/openssl_owned.hpp"
#include "forebay/env/real/owned_descriptor.hpp"
#include "forebay/env/real/socket_address.hpp"
#include "forebay/env/real/tls_trouble.hpp"

namespace forebay::real {
namespace {

using Certificate = OpensslOwned<X509>;
using Key = OpensslOwned<EVP_PKEY>;

constexpr long kBeginsInSeconds = -24L * 3600;  // clocks differ
constexpr long kEndsInSeconds = 365L * 24 * 3600;
constexpr std::size_t kLongestCommonName = 64;

Key make_key() {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  FOREBAY_CHECK(key != nullptr, "OpenSSL makes no keys");
  return key;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const OpensslOwned<X509_EXTENSION> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// A serial number of its own for each: browsers and Go refuse two of one authority that are alike.
void set_serial_number(X509* certificate) {
  std::array<unsigned char, 8> bytes{};
  FOREBAY_CHECK(RAND_bytes(bytes.data(), bytes.size()) == 1, "OpenSSL has no chance");
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1);
}

Certificate begin_certificate(const std::string& name, EVP_PKEY* key) {
  Certificate made(X509_new());
  FOREBAY_CHECK(made != nullptr, "no memory for a certificate");
  X509_set_version(made.get(), 2);  // counted from 0
  set_serial_number(made.get());
  X509_gmtime_adj(X509_getm_notBefore(made.get()), kBeginsInSeconds);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), kEndsInSeconds);
  X509_set_pubkey(made.get(), key);
  const std::string shown = name.substr(0, kLongestCommonName);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(shown.c_str()), -1, -1, 0);
  return made;
}

Certificate make_authority(EVP_PKEY* key) {
  Certificate root = begin_certificate("forebay stand-in", key);
  X509* const raw = root.get();
  X509_set_issuer_name(raw, X509_get_subject_name(raw));
  const bool is_made = add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE") &&
                       add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                       add_extension(raw, raw, NID_subject_key_identifier, "hash") &&
                       X509_sign(raw, key, EVP_sha256()) > 0;
  FOREBAY_CHECK(is_made, openssl_trouble());
  return root;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const bool is_ip = SocketAddress::from_ip(name, 0).has_value();
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", is_ip ? "IP" : "DNS", name);
  }
  return text;
}

Result<Certificate> make_server_certificate(const std::vector<std::string>& names, EVP_PKEY* key,
                                            X509* root, EVP_PKEY* root_key) {
  Certificate made = begin_certificate(names.front(), key);
  X509* const raw = made.get();
  X509_set_issuer_name(raw, X509_get_subject_name(root));
  const bool is_made = add_extension(raw, root, NID_basic_constraints, "critical,CA:FALSE") &&
                       add_extension(raw, root, NID_key_usage, "critical,digitalSignature") &&
                       add_extension(raw, root, NID_ext_key_usage, "serverAuth") &&
                       add_extension(raw, root, NID_authority_key_identifier, "keyid") &&
                       add_extension(raw, root, NID_subject_alt_name, alternatives(names)) &&
                       X509_sign(raw, root_key, EVP_sha256()) > 0;
  if (is_made) return made;
  return failure(Errc::invalid, fmt::format("no certificate can be made for {}: {}",
                                            fmt::join(names, ", "), openssl_trouble()));
}

template <class Write>
Result<void> write_pem(const std::filesystem::path& file, int permissions, const Write& write) {
  const OpensslOwned<BIO> memory(BIO_new(BIO_s_mem()));
  FOREBAY_CHECK(memory != nullptr && write(memory.get()) == 1, openssl_trouble());
  char* text = nullptr;
  const long size = BIO_ctrl(memory.get(), BIO_CTRL_INFO, 0, &text);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);  // its permissions would stay as they were
  const OwnedDescriptor descriptor(
      ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions));
  if (descriptor.number() >= 0 &&
      ::write(descriptor.number(), text, static_cast<std::size_t>(size)) == size)
    return {};
  return failure(Errc::invalid, fmt::format("cannot write {}", file.string()));
}

Result<void> write_certificate(const std::filesystem::path& file, X509* certificate) {
  return write_pem(file, 0644,
                   [certificate](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

}  // namespace

Result<CertificateFiles> make_certificates(const std::filesystem::path& folder,
                                           const std::vector<std::string>& names) {
  FOREBAY_CHECK(!names.empty());
  const Key root_key = make_key();
  const Certificate root = make_authority(root_key.get());
  const Key key = make_key();
  const Result<Certificate> made =
      make_server_certificate(names, key.get(), root.get(), root_key.get());
  if (!made) return failure(made.error());
  CertificateFiles files;
  files.authority = folder / "ca.pem";
  files.certificate = folder / "server.pem";
  files.key = folder / "server.key";
  Result<void> written = write_certificate(files.authority, root.get());
  if (written) written = write_certificate(files.certificate, made->get());
  if (written) {
    written = write_pem(files.key, 0600, [&key](BIO* to) {
      return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  if (!written) return failure(written.error());
  return files;
}

}  // namespace forebay::real
