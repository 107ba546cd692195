// libpq made the socket non-blocking, and needs it so. A thread that waits wants the opposite,
// which spares it a call to the system for each answer: so the mode is the dialogue's until rest(),
// and whoever does not want to wait says it with each call.
#include "forebay/postgres/driver/dialogue.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "forebay/base/silence.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::postgres {
namespace {

// Sessions are many, and most answers short.
constexpr std::size_t kShortAnswer = 1024;
constexpr std::size_t kLongAnswer = 32 * 1024;
constexpr std::size_t kMostParameters = 65'535;  // of the protocol
constexpr std::size_t kKeptBytes = 1024;         // of what was sent, for the next one

// What follows Bind.
const std::string& run_and_end() {
  static const std::string kMessages = [] {
    std::string messages;
    wire::write_describe(messages, wire::Target::portal, "");
    wire::write_execute(messages, "");
    wire::write_sync(messages);
    return messages;
  }();
  return kMessages;
}

wire::FrameOptions whole_answers() {
  wire::FrameOptions options;
  options.sender = wire::Sender::server;
  options.capacity = kShortAnswer;
  options.longest_whole = wire::kLongestMessage;
  return options;
}

std::unexpected<Error> out_of_step(std::string_view how) {
  return failure(Errc::connection_lost,
                 fmt::format("the server's answer makes no sense, and the connection is given up: "
                             "{}",
                             how));
}

constexpr std::string_view kNoMemory = "no memory is left for the server's answer";

// The statement has run, whatever became of its rows.
Error not_kept(std::string_view why) {
  return Error(Errc::statement_failed, ErrorClass::unknown,
               fmt::format("{}; the statement may have been applied. Stream the rows", why),
               std::string());
}

bool is_silence(int error) {
  return std::ranges::find(kErrorsOfSilence, error) != kErrorsOfSilence.end();
}

}  // namespace

Dialogue::Dialogue(int descriptor) : descriptor_(descriptor), reader_(whole_answers()) {}

bool Dialogue::can_carry(const Parameters& parameters) {
  if (parameters.size() > kMostParameters) return false;
  std::size_t bytes = 0;
  for (const std::optional<std::string>& parameter : parameters)
    bytes += parameter ? parameter->size() : 0;
  return bytes <= kMostParameterBytes;
}

Result<void> Dialogue::start(const Prepared& prepared) {
  FOREBAY_CHECK(!is_underway_);
  Result<void> checked = check_values(prepared.parameters);
  if (!checked) return checked;
  is_in_transaction_ = prepared.is_in_transaction;
  must_read_ = is_complete_ = is_spent_ = false;
  first_error_.reset();
  shape_ = prepared.shape;
  answer_.reset(new StoredAnswer());
  write(prepared);
  is_underway_ = true;
  return {};
}

void Dialogue::write(const Prepared& prepared) {
  out_.clear();
  sent_ = 0;
  {
    wire::MessageWriter bind(out_, wire::ClientMessage::bind);
    bind.text("").text(prepared.name).uint16(0);  // all parameters are text
    bind.uint16(static_cast<std::uint16_t>(prepared.parameters.size()));
    for (const std::optional<std::string>& parameter : prepared.parameters)
      bind.value(parameter ? wire::Value(*parameter) : wire::Value());
    bind.uint16(0);  // so is the answer
  }
  out_ += run_and_end();
}

// False: the socket takes no more for now.
bool Dialogue::send_rest() {
  while (sent_ < out_.size()) {
    const ssize_t count =
        ::send(descriptor_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      return false;
    } else if (errno != EINTR) {
      // The server's last words may be there to be read, and say more. The system says this once.
      is_lost_in_silence_ = is_silence(errno);
      sent_ = out_.size();
      must_read_ = true;
    }
  }
  return true;
}

Need Dialogue::advance() {
  const bool is_sent = send_rest();
  try {
    if (must_read_) receive();
  } catch (const std::bad_alloc&) {
    lose(kNoMemory);
  }
  if (!is_underway_) return Need::nothing;
  must_read_ = true;
  return is_sent ? Need::readable : Need::either;
}

void Dialogue::receive() {
  for (std::size_t bytes = 0; is_underway_ && bytes < kTurnBytes;) {
    const std::span<std::byte> room = reader_.room();
    const ssize_t count = ::recv(descriptor_, room.data(), room.size(), MSG_DONTWAIT);
    // After a short read there is nothing more, but for the server's end, which the next one tells.
    if (!note_received(count, room.size())) return;
    bytes += room.size();
  }
}

void Dialogue::read_blocking() {
  if (!is_blocking_) {
    const auto slice = std::chrono::duration_cast<std::chrono::microseconds>(kReadSlice);
    timeval longest{};
    longest.tv_usec = slice.count();
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
    is_blocking_ = true;
  }
  try {
    const std::span<std::byte> room = reader_.room();
    const ssize_t count = ::recv(descriptor_, room.data(), room.size(), 0);
    must_read_ = note_received(count, room.size());
  } catch (const std::bad_alloc&) {
    lose(kNoMemory);
  }
}

void Dialogue::rest() {
  if (!std::exchange(is_blocking_, false)) return;
  ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

// True: there may be more to be read at once.
bool Dialogue::note_received(long count, std::size_t room) {
  if (count > 0) {
    const auto bytes = static_cast<std::size_t>(count);
    reader_.add(bytes);
    hear();
    if (bytes < room || !is_underway_) return false;
    reader_.set_capacity(kLongAnswer);
    return true;
  }
  if (count == 0) {
    lose("the server closed the connection before it had answered");
  } else if (errno != EAGAIN && errno != EINTR) {
    lose_by_system(errno);
  }
  return false;
}

void Dialogue::hear() {
  while (is_underway_) {
    const wire::Frame frame = reader_.next();
    if (frame.kind == wire::Frame::Kind::none) return;
    if (frame.kind == wire::Frame::Kind::broken) return lose(reader_.problem().text());
    hear(frame);
  }
}

void Dialogue::hear(const wire::Frame& frame) {
  using enum wire::ServerMessage;
  Result<void> heard;
  switch (static_cast<wire::ServerMessage>(frame.type)) {
    case bind_complete: break;
    case notice_response: break;        // libpq is told to drop them, too
    case parameter_status: break;       // nobody here asks libpq for it
    case notification_response: break;  // nobody here has asked to hear it
    case no_data: shape_.reset(); break;
    case row_description: heard = note_shape(frame.body); break;
    case data_row: heard = note_row(frame.body); break;
    case command_complete: {
      const Result<std::string_view> tag = wire::parse_command_complete(frame.body);
      if (!tag) heard = failure(tag.error());
      if (tag && answer_) answer_->set_command_tag(*tag);
      is_complete_ = true;
      break;
    }
    case empty_query_response: is_complete_ = true; break;
    case error_response: heard = note_error(frame.body); break;
    case ready_for_query: heard = note_end(frame.body); break;
    default: heard = out_of_step(fmt::format("message '{}' is no part of it", frame.type));
  }
  if (!heard) lose(heard.error().text());
}

Result<void> Dialogue::note_shape(std::string_view description) {
  if (!shape_ || shape_->description() != description) {
    Result<std::shared_ptr<const AnswerShape>> shape = AnswerShape::read(description);
    if (!shape) return failure(shape.error());
    shape_ = std::move(*shape);
  }
  if (answer_) answer_->set_shape(shape_);
  return {};
}

Result<void> Dialogue::note_row(std::string_view body) {
  if (!answer_) return {};
  const Result<wire::ValueList> values = wire::parse_data_row(body);
  if (!values) return failure(values.error());
  if (!answer_->shape() || values->size() != static_cast<std::size_t>(answer_->columns()))
    return out_of_step("a row has other columns than its description");
  if (answer_->rows() == StoredAnswer::kMostRows) {
    drop_answer();
    first_error_ = not_kept("the answer has more than 2,147,483,647 rows");
    return {};
  }
  try {
    answer_->add_row(*values);
  } catch (const std::bad_alloc&) {
    drop_answer();
    first_error_ = not_kept("no memory is left for the rows of the answer");
  }
  return {};
}

Result<void> Dialogue::note_error(std::string_view body) {
  const Result<wire::ErrorFields> fields = wire::parse_error_fields(body);
  if (!fields) return failure(fields.error());
  const bool is_first = !first_error_;
  if (is_first) first_error_ = statement_error(*fields);
  drop_answer();
  if (!fields->ends_session()) return {};
  if (!is_first) first_error_ = lost_after(*first_error_);
  end();
  return {};
}

// A plain statement neither begins a transaction nor ends one.
Result<void> Dialogue::note_end(std::string_view body) {
  const Result<wire::TransactionStatus> status = wire::parse_ready_for_query(body);
  if (!status) return failure(status.error());
  if ((*status != wire::TransactionStatus::idle) != is_in_transaction_)
    return out_of_step("a transaction began or ended unasked");
  if ((!is_complete_ && !first_error_) || sent_ < out_.size())
    return out_of_step("it ended before it was there");
  // An answer is one, whatever the server says next: that it shuts down, mostly.
  is_spent_ = !reader_.unread().empty();
  has_failed_transaction_ = *status == wire::TransactionStatus::failed;
  end();
  return {};
}

void Dialogue::lose(std::string_view how) {
  first_error_ = first_error_ ? lost_after(*first_error_) : lost_without_answer(how);
  end();
}

void Dialogue::lose_by_system(int error) {
  is_lost_in_silence_ = is_lost_in_silence_ || is_silence(error);
  lose(fmt::format("the connection to the server broke: {}", std::strerror(error)));
}

void Dialogue::end() {
  is_underway_ = false;
  reader_.set_capacity(kShortAnswer);
  if (reader_.unread().empty()) static_cast<void>(reader_.room());  // frees what a long one took
  if (out_.capacity() > kKeptBytes) out_ = std::string();
}

bool Dialogue::has_met_cancel() const {
  return first_error_ && first_error_->code() == Errc::statement_failed &&
         first_error_->sqlstate() == "57014";
}

Result<QueryResult> Dialogue::take() {
  if (first_error_) return failure(std::move(*first_error_));
  return QueryResult(std::move(answer_));
}

}  // namespace forebay::postgres
