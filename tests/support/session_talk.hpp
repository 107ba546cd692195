// A client of a proxy and the servers that serve it, as a script: what one side says, and what the
// other sides hear of it. Between them is a ClientSession, and nothing else.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/proxy/session/client_session.hpp"
#include "forebay/proxy/session/statement_texts.hpp"
#include "support/wire_words.hpp"

namespace forebay::test {

// What the sessions of a route share.
struct TalkRoute {
  explicit TalkRoute(proxy::SessionRules all_rules = {}) : rules(all_rules) {}

  proxy::SessionRules rules;
  proxy::StatementTexts texts;
  proxy::StartMemory starts;
  proxy::SessionCounters counters;
  proxy::SessionShared shared{rules, texts, starts, counters};
};

inline proxy::Parameters usual_parameters() {
  return {{"DateStyle", "ISO, MDY"},
          {"TimeZone", "UTC"},
          {"application_name", ""},
          {"client_encoding", "UTF8"},
          {"server_version", "15.0"}};
}

inline proxy::ClientStart client_start(std::vector<proxy::Setting> parameters) {
  proxy::ClientStart start;
  start.parameters = std::move(parameters);
  start.process = 7;
  start.cancel_key = "key!";
  return start;
}

class Talk {
 public:
  // A session that has begun.
  explicit Talk(TalkRoute& route) : Talk(route, {{"user", "u"}}) {
    FOREBAY_CHECK(session_.begin(usual_parameters(), out_) == proxy::Verdict::done);
    out_ = {};
  }
  Talk(TalkRoute& route, std::vector<proxy::Setting> start)
      : session_(route.shared, client_start(std::move(start))) {
    reader_.expect_messages();
  }

  proxy::ClientSession& session() { return session_; }

  std::string begin() {
    return heard(session_.begin(usual_parameters(), out_) == proxy::Verdict::acquire
                     ? "wants a server"
                     : "");
  }
  std::string client(std::string_view bytes) {
    waiting_ += bytes;
    return go_on();
  }
  std::string attach(proxy::ServerPicture& server) {
    session_.attach(server, out_);
    return go_on();
  }
  std::string server(std::string_view bytes) {
    wire::FrameReader reader(wire::FrameOptions{
        .sender = wire::Sender::server, .whole = proxy::kWholeFromServer, .capacity = kBuffer});
    FOREBAY_CHECK(feed(reader, bytes).empty());
    for (auto frame = reader.next(); frame.kind != wire::Frame::Kind::none; frame = reader.next()) {
      const proxy::Verdict verdict = session_.from_server(frame, out_);
      if (verdict == proxy::Verdict::forward) out_.to_client += frame.bytes;
      if (verdict == proxy::Verdict::end) return heard("ends");
    }
    return go_on();
  }
  std::string fail(const Error& why) {
    const bool is_end = session_.fail_unit(why, out_) == proxy::Verdict::end;
    if (is_end) return heard("ends");
    open_frame_.reset();
    return go_on();
  }
  std::string lose(const Error& why) {
    session_.lose_server(why, out_);
    return heard("ends");
  }

  // What is on its way, as the flow of a proxy would send it.
  proxy::Output& out() { return out_; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{64} * 1024;

  // Shows frames as long as nobody has to bring a server.
  std::string go_on() {
    if (session_.is_attached() && !session_.is_fitted()) return heard("is fitting");
    while (true) {
      if (!open_frame_) {
        wire::Frame frame = reader_.next();
        if (frame.kind == wire::Frame::Kind::none) {
          if (waiting_.empty()) return heard("");
          waiting_ = feed(reader_, waiting_);
          continue;
        }
        FOREBAY_CHECK(frame.kind != wire::Frame::Kind::broken);
        open_frame_ = frame;
      }
      const proxy::Verdict verdict = session_.from_client(*open_frame_, out_);
      if (verdict == proxy::Verdict::acquire) return heard("wants a server");
      if (verdict == proxy::Verdict::forward) out_.to_server += open_frame_->bytes;
      open_frame_.reset();
      if (verdict == proxy::Verdict::end) return heard("ends");
    }
  }

  std::string heard(std::string_view what) {
    std::string text(what);
    const auto add = [&text](std::string_view who, const std::string& told) {
      if (told.empty()) return;
      if (!text.empty()) text += "; ";
      text += who;
      text += told;
    };
    add("server: ", words::told(wire::Sender::client, std::exchange(out_.to_server, {})));
    add("client: ", words::told(wire::Sender::server, std::exchange(out_.to_client, {})));
    return text;
  }

  proxy::ClientSession session_;
  proxy::Output out_;
  wire::FrameReader reader_{
      wire::FrameOptions{.whole = proxy::kWholeFromClient, .capacity = kBuffer}};
  std::string waiting_;
  std::optional<wire::Frame> open_frame_;
};

}  // namespace forebay::test
