// Dialogue: a prepared statement and its answer, spoken by ourselves on the socket of a connection
// whose libpq rests meanwhile.
//
//   we        Bind  Describe  Execute  Sync
//   server    BindComplete  RowDescription or NoData  DataRow…  CommandComplete  ReadyForQuery
//
// It is for what is done most, and is plain: one neutral statement, prepared, on a socket without
// TLS. Then libpq's own work and the wait before each of its reads are a quarter of what a
// statement costs the client. All else is libpq's.
//
// Always: libpq is idle while a dialogue is under way, and has nothing unread: nothing can come
// unasked in a session that listens to nothing. What libpq then does not hear of is that a
// transaction failed, so has_failed_transaction() says it. rest() comes before libpq's next word.
//
// Confined to the connection's user.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"
#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/sql/stored_answer.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::postgres {

class Dialogue final : public LibpqStep {
 public:
  // What a thread waits in one read. Whoever has less time left waits before the read.
  static constexpr Duration kReadSlice = std::chrono::milliseconds(100);
  // Longer values are libpq's: there is nothing to be gained.
  static constexpr std::size_t kMostParameterBytes = 64 * 1024;

  // What is executed, and what is known before.
  struct Prepared {
    Prepared(std::string_view server_name, const Parameters& values)
        : name(server_name), parameters(values) {}
    std::string_view name;
    const Parameters& parameters;
    std::shared_ptr<const AnswerShape> shape;  // of its latest answer, if there was one
    bool is_in_transaction = false;
  };

  // The socket is the connection's, of which this has no share.
  explicit Dialogue(int descriptor);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  static bool can_carry(const Parameters& parameters);

  // Errc::invalid: a zero byte in a parameter, and nothing was sent. REQUIRES: none is under way,
  // can_carry(), and libpq is idle.
  Result<void> start(const Prepared& prepared);
  Need advance() override;
  bool is_underway() const { return is_underway_; }
  // Waits for what comes next, and reads it: a kReadSlice at most. On a thread of the application,
  // after advance() has returned Need::readable.
  void read_blocking();
  // REQUIRES: advance() returned nothing.
  Result<QueryResult> take();
  // The rows of the answer, if it has any.
  const std::shared_ptr<const AnswerShape>& shape() const { return shape_; }

  // Nobody wants the answer any more; it is still to be heard to its end.
  void drop_answer() { answer_.reset(); }
  bool has_met_cancel() const;  // and not something else, or its end

  // The server said so with its last answer, and libpq has heard nothing since.
  bool has_failed_transaction() const { return has_failed_transaction_; }
  void forget_failure() { has_failed_transaction_ = false; }
  // The server has gone on unasked after its answer: the connection is not to be used again.
  bool is_spent() const { return is_spent_; }
  // Nothing was heard of the server any more, neither of its machine.
  bool is_lost_in_silence() const { return is_lost_in_silence_; }

  // From now on libpq may use the socket.
  void rest();

 private:
  void write(const Prepared& prepared);
  bool send_rest();
  void receive();
  bool note_received(long count, std::size_t room);
  void hear();
  void hear(const wire::Frame& frame);
  Result<void> note_shape(std::string_view description);
  Result<void> note_row(std::string_view body);
  Result<void> note_error(std::string_view body);
  Result<void> note_end(std::string_view body);
  void lose(std::string_view how);
  void lose_by_system(int error);
  void end();

  const int descriptor_;
  bool is_blocking_ = false;  // the socket waits in a read
  bool is_underway_ = false;
  bool is_in_transaction_ = false;
  bool must_read_ = false;
  bool has_failed_transaction_ = false;
  bool is_complete_ = false;
  bool is_spent_ = false;
  bool is_lost_in_silence_ = false;
  std::string out_;
  std::size_t sent_ = 0;
  wire::FrameReader reader_;
  std::shared_ptr<const AnswerShape> shape_;
  AnswerHandle answer_;
  std::optional<Error> first_error_;
};

}  // namespace forebay::postgres
