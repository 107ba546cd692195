// ClientFlow: serves one client of the proxy, from its first byte to its last.
//
// Two tasks: one reads the client, all the time; one reads the server, while there is one. What
// each message means is decided by ClientSession; this carries it out.
//
//   client ──► serve() ──► ClientSession::from_client ──► server
//   client ◄── follow_server() ◄── ClientSession::from_server ◄── server
//
// Confined to the loop of its stream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/byte_stream.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/proxy/cancel_book.hpp"
#include "forebay/proxy/proxy_counters.hpp"
#include "forebay/proxy/route.hpp"
#include "forebay/proxy/routes.hpp"
#include "forebay/proxy/send_lane.hpp"
#include "forebay/proxy/session/client_session.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

class ServerLink;

// What all clients of a loop share. Outlives them.
struct ClientSurroundings {
  Env env;
  Routes& routes;
  CancelBook& cancels;
  ProxyCounters& counters;  // of those whose route is not known
  Duration log_in_limit;
};

class ClientFlow {
 public:
  ClientFlow(const ClientSurroundings& around, std::unique_ptr<ByteStream> stream);
  ClientFlow(const ClientFlow&) = delete;
  ClientFlow& operator=(const ClientFlow&) = delete;
  ~ClientFlow();  // REQUIRES: run() has ended

  Task<void> run();

  // Ends when the server has taken the cancel of what this client is doing, if it is doing
  // anything; or when that is done, or nobody may cancel it in time.
  Task<void> cancel_statement();
  // The proxy ends: a client that has no server now hears so at once, others when they are done.
  void ask_to_leave();
  void hang_up();  // now

  const Route* route() const { return route_; }  // null: it is not known yet
  bool is_pinned() const { return session_ != nullptr && session_->is_pinned(); }

  ListLink<ClientFlow> link;

 private:
  class LateWatch;

  // A server at this client's service.
  struct Stay {
    Stay(PooledConnection taken, ServerLink& connection)
        : pooled(std::move(taken)), server(connection) {}
    PooledConnection pooled;
    ServerLink& server;
    Instant busy_since{};
    bool is_lost = false;
    bool is_over = false;           // the client lets go of it
    bool is_cancelled = false;      // because it took too long
    bool has_stray_cancel = false;  // one that failed, and may still be on its way
  };

  // In client_start.cpp. False: it was a cancel, or is not let in.
  Task<bool> log_in();
  Task<bool> take_startup(std::string_view body, Instant deadline, bool& is_in);
  Task<bool> begin(const wire::StartupView& start, Instant deadline);
  Task<bool> answer_byte(char answer, Instant deadline);
  void go_by(Route& route);
  ClientStart introduction(const wire::StartupView& start) const;
  void refuse(const wire::ErrorReport& report);
  void refuse_to_go_on();  // the proxy ends
  void refuse_silent_start();
  void note_refusal(const std::string& sqlstate, const std::string& reason) const;

  Task<void> serve();
  Verdict decide(const wire::Frame& frame);
  Task<Verdict> acquire_for(wire::Frame frame, PooledConnection ready);
  bool take_ahead();
  bool note_read(const Result<std::size_t>& got, Instant deadline);
  Instant client_deadline() const;
  bool try_send_all();
  Task<bool> send_all();
  Task<void> finish_work();
  Task<void> say_goodbye();

  // In server_stay.cpp.
  PooledConnection take_ready();
  bool try_begin_stay(PooledConnection& ready);
  void begin_stay(PooledConnection taken);
  Task<Result<void>> bring_server(PooledConnection ready, Instant deadline);
  Task<Result<PooledConnection>> stand_in_line(Instant deadline);
  Task<void> watch_client(Cancellation& gone);
  Task<void> follow_server(Stay& stay);
  Task<bool> bear_silence(Stay& stay, Result<std::size_t> got, Instant deadline);
  bool is_for_client(const wire::Frame& frame);
  bool try_release();
  Task<bool> release_if_done();
  void cancel_late_query(Stay& stay);
  Instant server_deadline(const Stay& stay) const;
  void begin_query_time(Stay& stay) const;
  void watch_query_time();
  Task<bool> permit_cancel();
  void drop_cancel();
  void give_back();
  Task<void> leave_in_the_middle();
  void lose_server(Stay& stay, const Error& why);
  void lose(Stay& stay);
  Task<void> end_stay();

  // True: there is nothing to say any more, and nobody else says it.
  bool try_send_to_client();
  bool try_send_to_server();
  Task<bool> send_to_client(std::string_view piece = {});
  Task<bool> send_to_server(std::string_view piece = {});
  void end();  // both tasks stop soon
  Instant after(Duration limit) const { return deadline_after(scheduler_.now(), limit); }
  const ClientLimits& limits() const { return route_->options().limits; }

  const ClientSurroundings& around_;
  Scheduler& scheduler_;
  const std::unique_ptr<ByteStream> stream_;
  wire::FrameReader reader_;
  Output out_;
  SendLane to_client_;
  SendLane to_server_;
  Condition changed_;    // something that a task of this client waits for
  TaskGroup followers_;  // of servers
  TaskGroup watchers_;   // of the client, while it stands in line
  std::optional<CancelBook::Entry> entry_;
  Route* route_ = nullptr;
  ProxyCounters* counters_;  // of the proxy, and of the route as soon as that is known
  std::unique_ptr<ClientSession> session_;
  std::unique_ptr<Stay> stay_;
  std::string ahead_;  // what the client sent while it stood in line
  std::size_t ahead_begin_ = 0;
  bool is_in_line_ = false;
  bool is_ending_ = false;
  bool is_client_gone_ = false;
  Cancellation* cancel_wait_ = nullptr;  // a cancel waits for its permit: ends that
  bool is_cancelling_ = false;           // it is on its way
  bool is_asked_to_leave_ = false;
};

}  // namespace forebay::proxy
