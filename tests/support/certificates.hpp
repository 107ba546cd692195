// A certificate authority of the test's own, whose certificates lie in a folder that goes with it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::test {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

struct CertificateWish {
  std::string name = "server";                              // the subject is CN=name
  std::string alternatives = "DNS:localhost,IP:127.0.0.1";  // none if empty
  long begins_in_seconds = -3600;
  long ends_in_seconds = 24 * 3600;
  bool is_self_signed = false;
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name)
      : name_(name), folder_(make_folder()), key_(EVP_EC_gen("P-256")), root_(make_root()) {
    write(ca_file(), root_.get());
  }
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;
  ~CertificateAuthority() { std::filesystem::remove_all(folder_); }

  std::string ca_file() const { return folder_ + "/ca.pem"; }
  std::string folder() const { return folder_; }

  CertificateFiles issue(const CertificateWish& wish) {
    const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const Owned<X509> certificate = make(wish, key.get());
    const std::string stem = folder_ + "/" + std::to_string(++issued_);
    CertificateFiles files;
    files.certificate = stem + ".pem";
    files.key = stem + ".key";
    write(files.certificate, certificate.get());
    std::FILE* const file = std::fopen(files.key.c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    return files;
  }

 private:
  struct Deleter {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  };
  template <class T>
  using Owned = std::unique_ptr<T, Deleter>;

  static std::string make_folder() {
    std::string path = std::filesystem::temp_directory_path() / "forebay_ca_XXXXXX";
    FOREBAY_CHECK(::mkdtemp(path.data()) != nullptr);
    return path;
  }
  static void write(const std::string& path, X509* certificate) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
  }
  static void add(X509* certificate, int kind, const std::string& value) {
    const Owned<X509_EXTENSION> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    X509_add_ext(certificate, extension.get(), -1);
  }
  Owned<X509> begin(const CertificateWish& wish, EVP_PKEY* key) {
    Owned<X509> certificate(X509_new());
    X509* const x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(x), wish.begins_in_seconds);
    X509_gmtime_adj(X509_getm_notAfter(x), wish.ends_in_seconds);
    X509_set_pubkey(x, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(wish.name.c_str()), -1, -1,
                               0);
    return certificate;
  }
  Owned<X509> make_root() {
    CertificateWish wish;
    wish.name = name_;
    Owned<X509> root = begin(wish, key_.get());
    X509_set_issuer_name(root.get(), X509_get_subject_name(root.get()));
    add(root.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(root.get(), key_.get(), EVP_sha256());
    return root;
  }
  Owned<X509> make(const CertificateWish& wish, EVP_PKEY* key) {
    Owned<X509> certificate = begin(wish, key);
    X509* const x = certificate.get();
    X509* const issuer = wish.is_self_signed ? x : root_.get();
    X509_set_issuer_name(x, X509_get_subject_name(issuer));
    if (!wish.alternatives.empty()) add(x, NID_subject_alt_name, wish.alternatives);
    X509_sign(x, wish.is_self_signed ? key : key_.get(), EVP_sha256());
    return certificate;
  }

  const std::string name_;
  const std::string folder_;
  const Owned<EVP_PKEY> key_;
  int serial_ = 0;
  int issued_ = 0;
  const Owned<X509> root_;
};

}  // namespace forebay::test
