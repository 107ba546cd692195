#include "forebay/proxy/link/cancel_call.hpp"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {
namespace {

std::unexpected<Error> not_cancelled(const Error& why) {
  const Errc code = why.code() == Errc::timed_out ? Errc::timed_out : Errc::connect_failed;
  return failure(code, "the cancel request could not be delivered: " + why.text());
}

}  // namespace

Task<Result<void>> call_to_cancel(StreamNetwork& network, StreamAddress to, CancelKey key,
                                  Instant deadline) {
  Result<std::unique_ptr<ByteStream>> stream = co_await network.connect(to, deadline);
  if (!stream) co_return not_cancelled(stream.error());
  std::string request;
  wire::write_cancel_request(request, key.view());
  const ConstBytes piece = wire::bytes_of(request);
  const Result<void> sent = co_await (*stream)->write(std::span(&piece, 1), deadline);
  if (!sent) co_return not_cancelled(sent.error());
  // The server says nothing, and closes when it has passed the signal on.
  std::array<std::byte, 64> scrap{};
  for (;;) {
    const Result<std::size_t> got = co_await (*stream)->read(Bytes(scrap), deadline);
    if (!got) co_return not_cancelled(got.error());
    if (*got == 0) co_return Result<void>();
  }
}

StreamAddress address_of(const StreamPeer& peer, const StreamAddress& called) {
  const std::size_t colon = peer.address.rfind(':');
  if (called.is_unix_socket() || colon == std::string::npos) return called;
  std::uint16_t port = 0;
  const char* const begin = peer.address.data() + colon + 1;
  const char* const end = peer.address.data() + peer.address.size();
  if (std::from_chars(begin, end, port).ptr != end || port == 0) return called;
  std::string host = peer.address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return StreamAddress::tcp(std::move(host), port);
}

}  // namespace forebay::proxy
