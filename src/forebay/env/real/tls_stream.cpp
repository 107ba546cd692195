#include "forebay/env/real/tls_stream.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::real {
namespace {

// A record with all that surrounds it.
constexpr std::size_t kRing = 17 * 1024;
// A full record; OpenSSL makes several of what is longer.
constexpr std::size_t kRecord = 16 * 1024;

int handshake_step(SSL* session) {
  const NoFork whole_step;  // for the locks of OpenSSL
  ERR_clear_error();
  return SSL_do_handshake(session);
}

}  // namespace

TlsStream::TlsStream(OpensslOwned<SSL> session, std::unique_ptr<ByteStream> clear)
    : clear_(std::move(clear)), peer_(clear_->peer()), session_(std::move(session)) {
  BIO* inner = nullptr;
  BIO* outer = nullptr;
  FOREBAY_CHECK(BIO_new_bio_pair(&inner, kRing, &outer, kRing) == 1, "no memory for TLS");
  SSL_set_bio(session_.get(), inner, inner);
  ring_.reset(outer);
  note_certificates(session_.get(), note_);
}

Task<Result<void>> TlsStream::shake_hands(ConstBytes read_ahead, std::string server_name,
                                          Instant deadline) {
  for (;;) {
    while (!read_ahead.empty()) {
      const int taken = BIO_write(ring_.get(), read_ahead.data(),
                                  static_cast<int>(std::min(read_ahead.size(), kRing)));
      if (taken <= 0) break;  // the ring is full
      read_ahead = read_ahead.subspan(static_cast<std::size_t>(taken));
    }
    const int result = handshake_step(session_.get());
    const int wanted = SSL_get_error(session_.get(), result);
    std::string trouble;
    if (wanted == SSL_ERROR_SSL || wanted == SSL_ERROR_SYSCALL)
      trouble = handshake_trouble(note_, server_name);
    // Also if it failed: the other side is told why.
    Result<void> sent = co_await send(deadline);
    if (!trouble.empty()) {
      co_return failure(Errc::connect_failed,
                        fmt::format("TLS with {} failed: {}", peer_.address, trouble));
    }
    if (!sent) co_return sent;
    if (result == 1) break;
    if (wanted == SSL_ERROR_WANT_WRITE || !read_ahead.empty()) continue;
    const Result<bool> received = co_await receive(deadline);
    if (!received) co_return failure(received.error());
    if (!*received)
      co_return broken("it hung up in the middle of the handshake; its log may say why");
  }
  learn_peer(server_name);
  co_return Result<void>();
}

Task<Result<std::size_t>> TlsStream::read(Bytes into, Instant deadline) {
  FOREBAY_CHECK(!into.empty(), "a read needs room for a byte");
  for (;;) {
    ERR_clear_error();
    std::size_t got = 0;
    const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &got);
    if (result == 1) co_return got;
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_ZERO_RETURN: co_return std::size_t{0};
      case SSL_ERROR_WANT_READ: break;
      default: co_return broken(openssl_trouble());
    }
    const Result<bool> received = co_await receive(deadline);
    if (!received) co_return failure(received.error());
    if (!*received) co_return broken("it ended without a goodbye, so something may be missing");
  }
}

Task<Result<void>> TlsStream::write(std::span<const ConstBytes> pieces, Instant deadline) {
  if (is_broken_) co_return broken("it is of no use since an earlier failure");
  while (!pieces.empty()) {
    const ConstBytes chunk = next_chunk(pieces);
    Result<void> done = co_await encrypt(chunk, deadline);
    if (!done) co_return done;
  }
  co_return co_await send(deadline);
}

Task<Result<void>> TlsStream::finish(Instant deadline) {
  if (is_broken_) co_return broken("it is of no use since an earlier failure");
  ERR_clear_error();
  SSL_shutdown(session_.get());  // says goodbye; what it answers is about the other side's
  Result<void> sent = co_await send(deadline);
  if (!sent) co_return sent;
  co_return co_await clear_->finish(deadline);
}

Task<Result<bool>> TlsStream::receive(Instant deadline) {
  char* room = nullptr;
  const int size = BIO_nwrite0(ring_.get(), &room);
  FOREBAY_CHECK(size > 0, "TLS asks for more than it takes");
  const Bytes into(reinterpret_cast<std::byte*>(room), static_cast<std::size_t>(size));
  const Result<std::size_t> got = co_await clear_->read(into, deadline);
  if (!got) co_return failure(got.error());
  if (*got == 0) co_return false;
  BIO_nwrite(ring_.get(), &room, static_cast<int>(*got));
  co_return true;
}

Task<Result<void>> TlsStream::send(Instant deadline) {
  for (;;) {
    char* bytes = nullptr;
    const int size = BIO_nread0(ring_.get(), &bytes);
    if (size <= 0) co_return Result<void>();
    const ConstBytes piece(reinterpret_cast<const std::byte*>(bytes),
                           static_cast<std::size_t>(size));
    Result<void> sent = co_await clear_->write(std::span(&piece, 1), deadline);
    if (!sent) {
      is_broken_ = true;  // part of a record may be on its way
      co_return sent;
    }
    BIO_nread(ring_.get(), &bytes, size);
  }
}

Task<Result<void>> TlsStream::encrypt(ConstBytes bytes, Instant deadline) {
  while (!bytes.empty()) {
    ERR_clear_error();
    std::size_t taken = 0;
    const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &taken);
    if (result == 1) {
      bytes = bytes.subspan(taken);
      continue;
    }
    if (SSL_get_error(session_.get(), result) != SSL_ERROR_WANT_WRITE)
      co_return broken(openssl_trouble());
    Result<void> sent = co_await send(deadline);
    if (!sent) co_return sent;
  }
  co_return Result<void>();
}

ConstBytes TlsStream::next_chunk(std::span<const ConstBytes>& pieces) {
  std::size_t total = 0;
  std::size_t count = 0;
  for (const ConstBytes& piece : pieces) {
    if (total + piece.size() > kRecord) break;
    total += piece.size();
    ++count;
  }
  if (count <= 1) {
    const ConstBytes first = pieces.front();
    pieces = pieces.subspan(1);
    return first;
  }
  joined_.clear();
  for (const ConstBytes& piece : pieces.first(count))
    joined_.insert(joined_.end(), piece.begin(), piece.end());
  pieces = pieces.subspan(count);
  return joined_;
}

void TlsStream::learn_peer(const std::string& server_name) {
  const char* const asked = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
  peer_.server_name = asked != nullptr ? asked : server_name;
  if (const OpensslOwned<X509> shown(SSL_get1_peer_certificate(session_.get())); shown != nullptr)
    peer_.certificate_subject = subject_text(shown.get());
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session_.get(), &protocol, &size);
  if (size > 0) peer_.protocol.assign(reinterpret_cast<const char*>(protocol), size);
}

std::unexpected<Error> TlsStream::broken(std::string why) {
  is_broken_ = true;
  return failure(Errc::connection_lost,
                 fmt::format("the TLS stream with {} broke: {}", peer_.address, why));
}

}  // namespace forebay::real
