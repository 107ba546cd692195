// ServerLink: a session on a server, as the proxy has it: our own protocol over a stream.
//
// The one who holds it reads frames(), writes to stream() and keeps picture() true, which tells the
// link what has to be done before somebody else may have it: nothing, a reset, or a cancel first.
// Confined to the loop of its stream; what the pool calls goes there by itself, and comes back.
//
//   owed by the server                      the pool does
//   nothing, no transaction, no leftovers   nothing
//   nothing, but one of these               reset()
//   a statement may be running              cancel(), if the server knows that, then reset()
//   a COPY in, or an answer after a Sync    reset(), which says CopyFail or Sync, and drains
//
// REQUIRES, of what the pool calls: the holder has no read or write under way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/core/notice.hpp"
#include "forebay/env/byte_stream.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/proxy/link/cancel_key.hpp"
#include "forebay/proxy/link/goodbye.hpp"
#include "forebay/proxy/link/link_parts.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

// What frames() shows whole: all but rows, their descriptions, what COPY carries, and what
// functions answer, which may be long and are only passed on.
inline constexpr wire::MessageTypes kShownWhole{"123ACEGHIKNRSWZcnsv"};

class ServerLink final : public Connection {
 public:
  explicit ServerLink(LinkParts parts);
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;
  ~ServerLink() override;

  // REQUIRES: close() was not called.
  ByteStream& stream() { return *stream_; }
  wire::FrameReader& frames() { return frames_; }
  ServerPicture& picture() { return picture_; }
  const CancelKey& cancel_key() const { return key_; }

  // A look at what has come since it was used last, without waiting: the server may have ended the
  // session meanwhile. False: take another one.
  Task<bool> is_still_there();
  // For those who need no look at one that was in use just now.
  void note_given_back(Instant now) { given_back_at_ = now; }
  bool was_given_back_since(Instant time) const { return given_back_at_ >= time && is_usable(); }
  // The stream broke, or the server ended the session: nobody can use it any more.
  void mark_lost() { is_lost_ = true; }
  // It is of no more use, because the server has only the beginning of a message, and takes for the
  // rest of it whatever it is told next: so it hears nothing more but the end.
  void mark_cut_off() { is_lost_ = is_cut_off_ = true; }
  // Asks the server, by a connection of its own, to end what the session does now, and ends when
  // the server has done so or the deadline has passed. Nobody else may have the session before: a
  // reset and a close wait for it. A second call meanwhile shares the first. The server counts a
  // connect, and no session. Errors: connect_failed, timed_out; invalid, if the server cannot.
  // It may go on when the link is gone.
  Task<Result<void>> request_cancel(Instant deadline);

  // A statement of our own, and how many rows it had. Errors: statement_failed, or the session is
  // of no more use. REQUIRES: nothing is owed.
  Task<Result<std::size_t>> run(std::string sql, Instant deadline);
  // Takes the stream to another loop, that of the network. An error leaves it lost. REQUIRES: it is
  // held by a task of that loop, or of its own.
  Task<Result<void>> move_to(Scheduler& scheduler, StreamNetwork& network);
  Scheduler& scheduler() const { return *scheduler_; }

  // How soon the server notices our end, and what clears its sessions: as far as it was told.
  void set_notice(const ServerNotice& notice) { notice_ = notice; }
  void set_session_statement(std::string sql) { profile_.session_statement = std::move(sql); }

  bool is_usable() const noexcept override;
  bool needs_reset() const noexcept override;
  bool needs_cancel() const noexcept override;
  Task<Result<void>> cancel(Instant deadline) override;
  Task<Result<void>> reset(Instant deadline) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;

 private:
  class CancelCall;

  Task<Result<void>> request_cancel_here(Instant deadline);
  Task<Result<void>> cancel_here(Instant deadline);
  Task<Result<void>> reset_here(Instant deadline);
  Task<bool> close_here(Instant deadline);
  // True: none is under way any more.
  Task<bool> wait_for_cancel_call(Instant deadline);

  // Reads what is there, and does not wait.
  Task<void> look();
  // Reads until nothing is owed; timed_out: it may be called again. What it takes to get there is
  // said on the way.
  Task<Result<void>> drain(Instant deadline);
  Task<Result<void>> send(std::string bytes, Instant deadline);
  Task<Result<void>> receive(Instant deadline);
  std::string words_to_end_it();
  void note_end(const Result<std::size_t>& got);
  void take(const wire::Frame& frame);
  void take_frames();
  void note_parameter(std::string_view body);
  void note_error(std::string_view body);
  std::unexpected<Error> lose(Error why);

  Scheduler* scheduler_;
  StreamNetwork* network_;
  std::unique_ptr<ByteStream> stream_;
  wire::FrameReader frames_;
  ServerPicture picture_;
  const StreamAddress address_;  // the very one, of a name that has several
  const CancelKey key_;
  postgres::ServerProfile profile_;
  ServerNotice notice_;
  CancelCall* cancel_call_ = nullptr;  // the one under way
  std::optional<Goodbye> goodbye_;
  std::optional<Error> last_error_;  // what the server said last of a statement of ours
  std::size_t rows_ = 0;             // of it
  Instant given_back_at_ = Instant::min();
  bool has_met_cancel_ = false;
  bool has_said_sync_ = false;  // in this drain
  bool has_failed_copy_ = false;
  bool is_lost_ = false;
  bool is_cut_off_ = false;
  bool is_gone_ = false;    // the server has hung up
  bool is_silent_ = false;  // nothing is heard of it any more
};

}  // namespace forebay::proxy
