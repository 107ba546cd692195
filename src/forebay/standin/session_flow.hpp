// SessionFlow: serves one client of the stand-in, from its first byte to its last.
//
// Up to three tasks: one reads the client; one reads the server, from the moment a session there
// has begun, which is with the client's first statement; one ends the session when it is too old.
// What messages mean is decided by StandinSession.
//
//   TLS ─► start-up packet ─► the door ─► token ─► greeting ─► statements ◄─► PostgreSQL
//
// Confined to the loop of its stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/core/server_door.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/byte_stream.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/env/tls.hpp"
#include "forebay/standin/backend.hpp"
#include "forebay/standin/session/standin_session.hpp"
#include "forebay/standin/standin_options.hpp"

namespace forebay::standin {

// What all sessions of a stand-in share. Outlives them.
struct Surroundings {
  Env env;
  const StandinOptions& options;
  TlsServer& tls;
  Backend& backend;
  const StatementRules& rules;
  const TransactionWorld& world;
  ServerDoor& door;
  Chaos& chaos;
  StandinCounters& counters;
  std::function<void(std::string_view)> command;  // what SELECT standin.…() says
};

class SessionFlow {
 public:
  SessionFlow(const Surroundings& around, std::unique_ptr<ByteStream> stream);
  SessionFlow(const SessionFlow&) = delete;
  SessionFlow& operator=(const SessionFlow&) = delete;
  ~SessionFlow();  // REQUIRES: run() has ended

  Task<void> run();
  // Now, and without a word.
  void hang_up();

  ListLink<SessionFlow> link;

 private:
  // In session_start.cpp. False: it is not let in, and has been told why if it can be.
  Task<bool> log_in();
  Task<bool> secure(Instant deadline);
  Task<bool> answer_in_clear(std::string_view body, Instant deadline, bool& is_secured);
  Task<bool> begin_tls(TlsOpening opening, Instant deadline);
  Task<bool> introduce(Instant deadline);
  bool take_startup(const wire::StartupView& packet);
  bool is_known_name(std::string_view name) const;
  Task<bool> authenticate(Instant deadline);
  Task<bool> take_password(std::string_view body);
  Task<bool> check_role(std::string arn);
  Task<bool> welcome(Instant deadline);
  void greet(const proxy::Parameters& greeting);
  bool enter();
  bool refuse(const wire::ErrorReport& report, std::string_view reason = {});

  // The next frame that is there, after reading if need be. Kind::none: the client is gone.
  Task<wire::Frame> next_frame(Instant deadline);
  Task<bool> send_to_client();
  Task<bool> send_to_server();

  Task<void> serve();
  Task<bool> pass_on(wire::Frame frame);
  Task<Result<void>> attach(Instant deadline);
  Task<void> follow_server();
  Task<bool> read_server();
  Task<void> watch_age(Instant end);
  void end();
  Instant after(Duration limit) const { return deadline_after(scheduler_.now(), limit); }

  const Surroundings& around_;
  Scheduler& scheduler_;
  std::unique_ptr<ByteStream> stream_;
  ByteStream* in_clear_ = nullptr;  // while TLS begins, which has the stream
  std::unique_ptr<wire::FrameReader> reader_;
  std::string to_client_;
  std::string to_server_;
  ClientStart start_;
  std::unique_ptr<StandinSession> session_;
  proxy::LinkAttempt* attempt_ = nullptr;  // while the server is called
  std::unique_ptr<ByteStream> server_;
  std::unique_ptr<wire::FrameReader> server_frames_;
  proxy::Parameters reported_;  // by the server, when its session began
  Condition changed_;
  TaskGroup tasks_;
  bool is_counted_ = false;  // at the door
  bool is_ending_ = false;
  bool is_client_gone_ = false;
};

}  // namespace forebay::standin
