// StandinSession: what the messages of one client mean, and those of the server behind it. Pure: it
// is shown messages and writes bytes.
//
// Everything goes through, but for this:
//
//   client's message   when                                    what the server gets instead
//   Query              a statement of it must fail             a statement that fails just so
//   Query, Parse       PostgreSQL cannot do it as DSQL does    what StatementRules says instead
//   Query "COMMIT"     the transaction must fail               ROLLBACK (answers kept), and the
//   same Parse, Execute     the statement must fail                 the same, in the extended
//   protocol any                it is longer than 10 MiB                nothing: the session ends
//
//   server's message   when                                    what the client gets instead
//   answers to ours                                            nothing
//   ErrorResponse      it is a conflict by other words         DSQL's words: dsql_error()
//   NoticeResponse     it is a command to us: see kCommand     nothing
//
// Statements fail on the server, not here, so that the order of answers and the state of the
// transaction are its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/standin/session/answer_line.hpp"
#include "forebay/standin/session/transaction_book.hpp"
#include "forebay/standin/statements/statement_rules.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::standin {

// Aurora DSQL closes the connection of a client that sends more.
inline constexpr std::uint32_t kLongestMessage = 10U * 1024 * 1024;

// Frames of these types come whole.
inline constexpr wire::MessageTypes kWholeFromClient{"QPBEDCSXp"};
inline constexpr wire::MessageTypes kWholeFromServer{"EZNSRKvC"};

// The SQLSTATE of notices by which functions in the schema "standin" talk to us.
inline constexpr std::string_view kCommand = "FBSTI";

class StandinSession {
 public:
  enum class Verdict : std::uint8_t {
    goes_on,
    ends,      // the client said goodbye
    hangs_up,  // at once, without a word
  };

  // All of them outlive it. Commands are what notices say.
  StandinSession(const StatementRules& rules, const TransactionWorld& world,
                 std::function<void(std::string_view)> command)
      : rules_(rules), book_(world), command_(std::move(command)) {}

  Verdict from_client(const wire::Frame& frame, Instant now, std::string& to_server);
  // False: the server is out of step.
  bool from_server(const wire::Frame& frame, std::string& to_client);

  // Nothing is owed, and no transaction is open.
  bool is_idle() const { return line_.is_idle() && !book_.is_in_block(); }

 private:
  void forward(const wire::Frame& frame, std::string& to_server);
  Verdict take_query(const wire::Frame& frame, Instant now, std::string& to_server);
  void write_as_judged(const Judgement& judgement, std::string& to_server);
  Verdict take_parse(const wire::Frame& frame, std::string& to_server);
  void take_bind(const wire::Frame& frame);
  Verdict take_execute(const wire::Frame& frame, Instant now, std::string& to_server);
  void take_close(const wire::Frame& frame);
  void fail_query(const Refusal& refusal, bool rolls_back, std::string& to_server);
  void fail_extended(const Refusal& refusal, bool rolls_back, std::string& to_server);
  void execute_ours(std::string_view sql, bool is_heard, std::string& to_server);
  bool take_answer(const wire::Frame& frame, std::string& to_client);

  // A statement that a client has prepared.
  using Prepared = std::shared_ptr<const StatementJudgement>;

  const StatementRules& rules_;
  TransactionBook book_;
  const std::function<void(std::string_view)> command_;
  AnswerLine line_;
  std::map<std::string, Prepared, std::less<>> statements_;  // by name
  std::map<std::string, Prepared, std::less<>> portals_;
  bool is_passing_ = true;  // the pieces of a long message of the server
};

}  // namespace forebay::standin
