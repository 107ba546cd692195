// A proxy over simulated streams, before a server that answers a few statements, and its clients.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/proxy/proxy.hpp"
#include "proxy_link/link_world.hpp"
#include "support/wire_words.hpp"

namespace forebay::proxy {

// A client that does one thing after the other. What it hears is told as in scripts of sessions.
class FlowClient {
 public:
  explicit FlowClient(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  // Says it, and hears all up to that many ReadyForQuery, or the end.
  Task<std::string> ask(std::string bytes, int readies = 1) {
    const Result<void> written = co_await test::write_text(*stream_, std::move(bytes), kNever);
    if (!written) co_return "broken";
    std::string heard;
    while (readies > 0) {
      const wire::Frame frame = reader_.next();
      if (frame.kind == wire::Frame::Kind::none) {
        const Result<std::size_t> got = co_await stream_->read(reader_.room(), kNever);
        if (!got || *got == 0) co_return told(heard) + "gone";
        reader_.add(*got);
        continue;
      }
      heard += frame.bytes;
      if (frame.type == 'Z') --readies;
    }
    co_return told(heard);
  }
  Task<std::string> log_in(std::string database = "inn") {
    std::string out;
    const std::vector<std::pair<std::string_view, std::string_view>> start{{"user", "app"},
                                                                           {"database", database}};
    wire::write_startup(out, wire::kVersion30, start);
    co_return co_await ask(std::move(out));
  }
  ByteStream& stream() { return *stream_; }
  void hang_up() { stream_->close(); }

 private:
  static std::string told(const std::string& heard) {
    return test::words::told(wire::Sender::server, heard);
  }
  static wire::FrameOptions frames() {
    wire::FrameOptions options;
    options.sender = wire::Sender::server;
    return options;
  }

  const std::unique_ptr<ByteStream> stream_;
  wire::FrameReader reader_{frames()};
};

class FlowWorld {
 public:
  static StreamAddress door() { return StreamAddress::tcp("proxy", 6432); }

  // With permits, each of these lasts longer than the world.
  explicit FlowWorld(int connections, const RouteOptions& given = {},
                     PermitSource* permits = nullptr) {
    RouteOptions options = given;
    options.pool.size.max = connections;
    PoolSharing sharing;
    sharing.permits = permits;
    auto route = std::make_unique<Route>(env(), links.connector(), std::move(options), sharing);
    route_ = route.get();
    proxy.routes().add(std::move(route));
    links.run(start());
  }
  ~FlowWorld() { close(1s); }

  // Ends well after that time at the latest.
  void close(Duration patience) {
    if (!std::exchange(is_open_, false)) return;
    links.run(close_proxy(patience));
  }
  bool is_open() const { return is_open_; }

  Env env() { return Env{links.scheduler, links.random, clock}; }
  Pool& pool() { return route_->pool(); }
  int lent() { return pool().statistics().lent; }
  void pass(Duration time) { links.scheduler.run_until(links.in(time)); }

  // Not logged in.
  std::unique_ptr<FlowClient> caller() {
    auto stream = links.run(client_host.connect(door(), links.in(1s)));
    FOREBAY_CHECK(stream.has_value(), stream.error().text());
    return std::make_unique<FlowClient>(std::move(*stream));
  }
  std::unique_ptr<FlowClient> client() {
    auto made = caller();
    const std::string heard = links.run(made->log_in());
    FOREBAY_CHECK(heard.ends_with("Ready I"), heard);
    return made;
  }
  std::string query(FlowClient& who, const std::string& sql) {
    return links.run(who.ask(test::words::query(sql)));
  }

  LinkWorld links;
  sim::SimHost proxy_host{links.network, links.scheduler, "proxy"};
  sim::SimHost client_host{links.network, links.scheduler, "client"};
  sim::SimWallClock clock{links.scheduler, WallTime()};
  Proxy proxy{env(), proxy_host, links.random, 60s};

 private:
  Task<bool> start() {
    const bool is_filled = co_await route_->pool().start();
    FOREBAY_CHECK(proxy.listen(door()).has_value());
    co_return is_filled;
  }
  Task<bool> close_proxy(Duration patience) {
    co_await proxy.close(links.in(patience));
    co_return true;
  }

  Route* route_ = nullptr;
  bool is_open_ = true;
};

}  // namespace forebay::proxy
