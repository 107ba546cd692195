// Things of OpenSSL with an owner each.
#pragma once

#include <memory>

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace forebay::real {

struct OpensslDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

template <class T>
using OpensslOwned = std::unique_ptr<T, OpensslDeleter>;

}  // namespace forebay::real
