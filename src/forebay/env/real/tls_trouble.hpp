// What is wrong with a TLS handshake, a certificate or its files, in sentences that say what to do.
#pragma once

#include <string>

#include "forebay/env/real/openssl_owned.hpp"

namespace forebay::real {

// The first certificate that did not hold, and why. OpenSSL itself forgets it.
struct CertificateNote {
  CertificateNote() = default;
  long code = X509_V_OK;
  OpensslOwned<X509> certificate;
};
// Lets a session note it. The note outlives the session's handshake.
void note_certificates(SSL* session, CertificateNote& note);
// What a context does with each certificate; for SSL_CTX_set_verify.
int verify_and_note(int is_good, X509_STORE_CTX* store);

// What OpenSSL noted last on this thread; forgets it. Never empty.
std::string openssl_trouble();

// "CN=app,O=Example"
std::string subject_text(const X509* certificate);

// Why the handshake failed. The name is the one that was asked for; empty on the server's side.
std::string handshake_trouble(const CertificateNote& note, const std::string& server_name);

}  // namespace forebay::real
