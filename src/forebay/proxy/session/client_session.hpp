// ClientSession: what a proxy does with each message of a client and of the server that serves it:
// passes it on, answers it itself, waits for a server, gives the server back, refuses it. Pure: it
// is shown frames and writes bytes into an Output.
//
//   Verdict verdict = session.from_client(frame, out);
//   if (verdict == Verdict::acquire) { session.attach(link.picture(), out); ... }
//
// What the client sees is what it would see with a server to itself, whichever servers its
// transactions ran on. Its states, and who answers what, are in docs/proxy-session.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/proxy/session/client_parameters.hpp"
#include "forebay/proxy/session/client_statements.hpp"
#include "forebay/proxy/session/expected_answers.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/proxy/session/session_rules.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

// What there is to send, in order: first this, then the frame, if the verdict is forward.
struct Output {
  std::string to_server;
  std::string to_client;
};

enum class Verdict : std::uint8_t {
  forward,  // the frame's bytes go to the other side as they are, after what is in the Output
  done,     // taken care of; what there is to say is in the Output
  acquire,  // it needs a server: bring one, attach() it, and show the same frame again when it
            // is_fitted(); or fail_unit() it and go on with the next frame
  end,      // the client said goodbye, or must go: send what is in the Output, and hang up
};

// Of the messages of either side, those that must come whole.
inline constexpr wire::MessageTypes kWholeFromClient("QPDECFSHXpcf");
inline constexpr wire::MessageTypes kWholeFromServer("EZSC123nsI");

class ClientSession {
 public:
  ClientSession(const SessionShared& shared, ClientStart start);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Writes the welcome: Ok, parameters, key, ReadyForQuery. acquire: a server must say first what
  // it makes of the parameters that the client wants; attach() it, and the welcome comes once it
  // is fitted. The greeting is what servers of the route report when they begin.
  Verdict begin(const Parameters& greeting, Output& out);

  // REQUIRES: no server is attached, or it is fitted.
  Verdict from_client(const wire::Frame& frame, Output& out);
  // end: the client hears why, and must go. The server is of no more use, unless it may_release().
  Verdict from_server(const wire::Frame& frame, Output& out);

  // This server serves now. Statements that make its parameters those of the client may be in the
  // Output then; the client's own go there only once is_fitted().
  void attach(ServerPicture& server, Output& out);
  bool is_attached() const { return server_ != nullptr; }
  bool is_fitted() const { return server_ != nullptr && !is_fitting_; }
  // Nothing is owed, no transaction is open, and nothing keeps this very server with this client.
  bool may_release() const;
  // Also when the client is gone: what it may have left is then in the server's leftovers.
  void release();

  // No server can be had: the client hears why, and what it sent up to its next Sync is skipped.
  // end: it never was let in.
  Verdict fail_unit(const Error& why, Output& out);
  // The server is gone while it served: the client hears so, as from a server that dies, and ends.
  void lose_server(const Error& why, Output& out);
  // True: something of this client is running on the server, and can be cancelled.
  bool is_busy() const;
  // The server has only the beginning of a message: if the client is gone it will never have the
  // rest, and whatever it is told next it takes for that.
  bool is_in_message() const { return server_ != nullptr && rest_ == Rest::forward; }
  // The client has only the beginning of a message: nothing else can be said to it any more.
  bool is_in_answer() const { return server_rest_ == Rest::forward; }
  // It keeps its server beyond its transactions.
  bool is_pinned() const { return !pins_.empty(); }
  bool is_welcome() const { return start_ == nullptr; }
  bool is_in_transaction() const;
  // The server has the beginning of a message, and waits for the rest.
  bool is_mid_message() const { return server_ != nullptr && rest_ == Rest::forward; }
  // Why it was sent away; null: it was not.
  const wire::ErrorReport* ended_for() const { return ended_for_.get(); }

 private:
  enum class Rest : std::uint8_t { none, forward, drop, bind_head };
  struct ServersName {
    std::string text;        // empty: the same as the client's
    std::uint64_t id = 0;    // of a statement that has a name of ours
    bool is_certain = true;  // false: its Parse is on its way
  };

  // client_session.cpp
  Verdict welcome(const Parameters& parameters, Output& out);
  Verdict fit_is_over(Output& out);
  void learn_start();
  void begin_with(std::vector<Setting> settings);
  void renew_serial();
  Verdict end_with(const wire::ErrorReport& report, Output& out);
  Verdict violation(const Error& error, Output& out);
  bool is_free() const;  // no server, or one that has nothing to do and is in no transaction

  // client_requests.cpp
  Verdict begin_message(const wire::Frame& frame, Output& out);
  Verdict continue_message(const wire::Frame& frame, Output& out);
  Verdict pass_on(const wire::Frame& frame);
  Verdict want_server(const wire::Frame& frame);
  Verdict skip(const wire::Frame& frame);
  Verdict fail_fitted(const wire::Frame& frame, Output& out);
  Verdict on_query(const wire::Frame& frame, Output& out);
  bool answer_query(const wire::StatementReading& reading, Output& out);
  Verdict on_sync(const wire::Frame& frame, Output& out);
  Verdict on_function_call(const wire::Frame& frame, Output& out);
  Verdict on_execute(const wire::Frame& frame, Output& out);
  Verdict on_close(const wire::Frame& frame, Output& out);
  Verdict on_copy(const wire::Frame& frame);

  // statement_requests.cpp
  Verdict on_parse(const wire::Frame& frame, Output& out);
  Verdict parse_named(const wire::Frame& frame, const wire::ParseView& view,
                      const wire::StatementReading& reading, Output& out);
  Verdict on_describe(const wire::Frame& frame, Output& out);
  Verdict on_bind(const wire::Frame& frame, Output& out);
  Verdict write_bind_head(std::string_view head, std::uint32_t length, Output& out);
  void bring_statement(const StatementRef& statement, Output& out);
  void bring_unnamed(Output& out);
  void parse_on_server(const StatementRef& statement, Whose whose, Output& out);
  ServersName name_on_server(std::string_view name, Output& out);
  void expect_about(char type, std::string_view name, const ServersName& there);
  const wire::StatementReading* reading_of(std::string_view name) const;
  bool is_borrowed(std::string_view name) const;
  void bring_absence(std::string_view name, Output& out);
  void bring_under_own_name(std::string_view name, std::string_view body, Whose whose, Output& out);
  void make_room(Output& out);
  void send_parse(std::string_view name, std::string_view body, Output& out);
  Expected& expect(char type, Whose whose);

  // session_state.cpp
  wire::Leftovers pins_of(const wire::StatementReading& reading) const;
  void mark(const wire::StatementReading& reading, wire::Leftovers pins);
  void mark_bound(std::string_view portal, const wire::StatementReading& reading, Output& out);
  bool try_refuse(char type, wire::Leftovers pins, Output& out);
  void refuse(char type, wire::Leftovers pins, Output& out);
  void restore(const std::vector<wire::SettingChange>& changes, Output& out);
  bool may_restore(const wire::StatementReading& reading) const;

  // server_answers.cpp
  bool is_hidden() const;
  Verdict on_parameter(const wire::Frame& frame, Output& out);
  Verdict on_error(const wire::Frame& frame, Output& out);
  Verdict on_ready(const wire::Frame& frame, Output& out);
  Verdict on_command(const wire::Frame& frame, Output& out);
  Verdict on_plain(const wire::Frame& frame, Output& out);
  Verdict pass_back(const wire::Frame& frame, Output& out);
  Verdict answered(const wire::Frame& frame, Output& out);
  Verdict out_of_step(Output& out);
  Verdict server_ends(const wire::Frame& frame, Output& out);
  void end_copy(std::size_t removed);
  bool show_renamed(const wire::ErrorFields& fields, const Expected& expected, Output& out);
  void discarded_all();
  void drop_to_sync(bool has_first_failed);
  void drop_doubtful_syncs();
  Verdict on_ready_beside();
  void doubt_statement(const Expected& expected, const wire::ErrorFields& fields);
  Verdict show(const wire::Frame& frame, bool is_shown, Output& out);
  void say_ours(Output& out);
  void abort_ours(Output& out);

  const SessionShared& shared_;
  // Of its parameters: a client with the same number has the same, and a change brings another.
  std::uint64_t serial_ = 0;
  std::unique_ptr<ClientStart> start_;  // until the welcome
  std::unique_ptr<wire::ErrorReport> ended_for_;

  ServerPicture* server_ = nullptr;
  ClientStatements statements_;
  ClientParameters parameters_;
  ExpectedAnswers queue_;
  // Portals whose statement drops prepared statements, and those: until the transaction ends.
  std::vector<std::pair<std::string, std::vector<std::string>>> dropping_portals_;
  std::vector<wire::SettingChange> resets_;  // in this unit, of what the client began with
  std::string held_;       // the beginning of a Bind whose names have not all come yet
  std::string fit_error_;  // the server's ErrorResponse to the statements that fit it
  wire::Leftovers pins_;
  char wanting_ = 0;  // the type of the message that waits for a server
  bool is_wanting_in_pieces_ = false;
  Rest rest_ = Rest::none;
  Rest server_rest_ = Rest::none;
  std::uint32_t restores_ = 0;  // in the queue
  bool is_over_ = false;
  bool has_left_ = false;  // it has said goodbye
  bool is_fitting_ = false;
  bool is_skipping_ = false;  // what the client sends, up to its Sync
  bool is_muted_ = false;     // the client has heard of an error already, up to ReadyForQuery
  bool is_failed_ = false;    // the transaction is, as far as the client can know
};

}  // namespace forebay::proxy
