#include "forebay/proxy/link/link_attempt.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/proxy/link/server_words.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {
namespace {

wire::FrameOptions options_of_log_in() {
  wire::FrameOptions options;
  options.sender = wire::Sender::server;
  options.whole = wire::MessageTypes::all();
  return options;
}

std::unexpected<Error> hung_up() {
  return failure(Errc::connect_failed,
                 "the server closed the connection during the log-in; its log may say why");
}

}  // namespace

LinkAttempt::LinkAttempt(const LinkEnv& env, LinkStart start)
    : env_(env),
      start_(std::move(start)),
      cancellation_(env.scheduler),
      tasks_(env.scheduler),
      frames_(options_of_log_in()),
      login_(start_.credentials) {}

Task<Result<void>> LinkAttempt::run(Instant deadline) {
  const Result<void> outcome = co_await go(deadline);
  co_await tasks_.join();
  if (cancellation_.is_cancelled()) co_return failure(Errc::closed, "the connector was closed");
  if (!outcome) co_return failure(explained(outcome.error()));
  is_ready_ = true;
  co_return Result<void>();
}

Task<Result<void>> LinkAttempt::go(Instant deadline) {
  const Until until(deadline, cancellation_);
  Result<std::unique_ptr<ByteStream>> stream =
      co_await env_.network.connect(start_.place.address, until);
  if (!stream) {
    may_try_next_ = true;
    co_return failure(trouble_of_connect(stream.error()));
  }
  stream_ = std::move(*stream);
  if (start_.tls != LinkTls::disable && !start_.place.address.is_unix_socket()) {
    phase_ = Phase::securing;
    Result<void> secured = co_await ask_for_tls(deadline);
    if (!secured) co_return secured;
  }
  if (cancellation_.is_cancelled()) co_return hung_up();
  phase_ = Phase::entering;
  Result<void> entered = co_await log_in(deadline);
  if (!entered) may_try_next_ = entered.error().code() == Errc::connect_failed;
  co_return entered;
}

Task<Result<void>> LinkAttempt::ask_for_tls(Instant deadline) {
  std::string request;
  wire::write_ssl_request(request);
  Result<void> sent = co_await send(request, deadline);
  if (!sent) co_return sent;
  // One byte is the answer. A second one, in the clear, would seem to have come through TLS.
  std::array<std::byte, 2> answer{};
  const Result<std::size_t> got = co_await stream_->read(Bytes(answer), deadline);
  if (!got) co_return failure(trouble_of_connect(got.error()));
  if (*got == 0) co_return hung_up();
  if (*got == 2) {
    co_return failure(Errc::refused,
                      "the server sent more in the clear before TLS began, as somebody between "
                      "would who slips in answers; the connection is not used");
  }
  switch (static_cast<char>(answer[0])) {
    case 'S': co_return co_await begin_tls(deadline);
    case 'N':
      if (start_.tls != LinkTls::require) co_return Result<void>();
      co_return failure(Errc::refused, "the server does not support SSL, but it is required");
    default:
      may_try_next_ = true;
      co_return failure(Errc::connect_failed, "the server did not understand the wish for TLS");
  }
}

Task<Result<void>> LinkAttempt::begin_tls(Instant deadline) {
  if (env_.tls == nullptr) co_return failure(Errc::invalid, "there is no TLS here");
  in_clear_ = stream_.get();
  const std::string name =
      start_.place.server_name.empty() ? start_.place.address.host() : start_.place.server_name;
  Result<std::unique_ptr<ByteStream>> secured =
      co_await env_.tls->connect(std::move(stream_), name, ConstBytes(), deadline);
  in_clear_ = nullptr;
  if (!secured) {
    may_try_in_clear_ = start_.tls == LinkTls::prefer && secured.error().code() != Errc::timed_out;
    co_return failure(trouble_of_connect(secured.error()));
  }
  stream_ = std::move(*secured);
  is_secured_ = true;
  co_return Result<void>();
}

Task<Result<void>> LinkAttempt::log_in(Instant deadline) {
  is_started_ = true;
  Result<void> sent = co_await send(start_.startup, deadline);
  if (!sent) co_return sent;
  for (;;) {
    const wire::Frame frame = frames_.next();
    if (frame.kind == wire::Frame::Kind::none) {
      const Result<void> received = co_await receive(deadline);
      if (!received) co_return received;
      continue;
    }
    std::string answer;
    const Result<LinkLogin::Step> step = login_.receive(frames_, frame, answer, picture_);
    if (!step) {
      may_try_in_clear_ = start_.tls == LinkTls::prefer && is_secured_ && !login_.has_begun();
      co_return failure(step.error());
    }
    if (*step == LinkLogin::Step::ready) co_return Result<void>();
    if (answer.empty()) continue;
    sent = co_await send(std::move(answer), deadline);
    if (!sent) co_return sent;
  }
}

Task<Result<void>> LinkAttempt::send(std::string bytes, Instant deadline) {
  if (cancellation_.is_cancelled()) co_return hung_up();
  const ConstBytes piece = wire::bytes_of(bytes);
  is_writing_ = true;
  const Result<void> written = co_await stream_->write(std::span(&piece, 1), deadline);
  is_writing_ = false;
  if (cancellation_.is_cancelled()) co_return hung_up();
  if (written) co_return Result<void>();
  // What a server had to say before it hung up, why it refuses us, may be there to be read.
  if (written.error().code() == Errc::connection_lost && is_started_) co_return Result<void>();
  co_return failure(trouble_of_connect(written.error()));
}

Task<Result<void>> LinkAttempt::receive(Instant deadline) {
  const Result<std::size_t> got = co_await stream_->read(frames_.room(), deadline);
  if (got && *got > 0) {
    frames_.add(*got);
    co_return Result<void>();
  }
  is_silent_ = !got && is_silence(got.error());
  is_gone_ = got.has_value() || (got.error().code() == Errc::connection_lost && !is_silent_);
  if (got) co_return hung_up();
  co_return failure(trouble_of_connect(got.error()));
}

void LinkAttempt::cancel() {
  cancellation_.cancel();
  switch (phase_) {
    case Phase::calling: return;
    case Phase::securing:
      if (in_clear_ != nullptr) in_clear_->close();
      if (stream_) stream_->close();
      return;
    case Phase::entering:
      if (!is_writing_) tasks_.spawn(end_our_side());
      return;
  }
}

Task<void> LinkAttempt::end_our_side() {
  if (!stream_ || is_ready_) co_return;
  const Result<void> finished = co_await stream_->finish(env_.scheduler.now());
  static_cast<void>(finished);  // the one who waits until it is gone does it again
}

Error LinkAttempt::explained(const Error& error) const {
  if (error.code() == Errc::timed_out) {
    return Error(Errc::timed_out,
                 fmt::format("no connection before the deadline: {} does not answer",
                             start_.place.address.text()));
  }
  return error.with_text(fmt::format("{}: {}", start_.place.address.text(), error.text()));
}

// Before the start-up packet there is no session, and none begins when the stream is hung up.
Task<bool> LinkAttempt::wait_until_gone(ServerNotice server, Instant deadline) {
  if (!goodbye_) {
    if (!stream_) co_return true;
    if (!is_started_) {
      stream_.reset();
      co_return true;
    }
    goodbye_.emplace(env_.scheduler, std::move(stream_), std::string());
    if (is_gone_) goodbye_->note_gone();
    if (is_silent_) goodbye_->note_silence();
  }
  co_return co_await goodbye_->run(server, deadline);
}

LinkParts LinkAttempt::take_parts() {
  LinkParts parts(env_, std::move(stream_), std::move(frames_), start_.place.address);
  parts.picture = std::move(picture_);
  parts.key = login_.cancel_key();
  return parts;
}

}  // namespace forebay::proxy
