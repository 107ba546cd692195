#include "forebay/standin/standin.hpp"

#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::standin {

namespace {
constexpr Duration kPauseWithoutDescriptors = std::chrono::milliseconds(100);
}

Standin::Standin(Env env, StreamNetwork& network, TlsServer& tls, Backend& backend,
                 StandinOptions options)
    : env_(env),
      network_(network),
      options_(std::move(options)),
      rules_(options_.rules),
      door_(options_.connects_per_second, options_.connect_burst, options_.max_sessions),
      chaos_(env.random),
      world_{options_.rules, catalog_, chaos_, options_.has_schema_conflicts},
      around_{
          env_,   options_, tls,    backend,   rules_,
          world_, door_,    chaos_, counters_, [this](std::string_view text) { command(text); }},
      doors_(env.scheduler),
      flows_(env.scheduler) {
  for (const std::string& told : options_.chaos) command(told);
}

Standin::~Standin() = default;

Result<StreamAddress> Standin::listen(const StreamAddress& at) {
  Result<std::unique_ptr<StreamListener>> listener = network_.listen(at);
  if (!listener) return failure(std::move(listener).error());
  listeners_.push_back(std::move(*listener));
  doors_.spawn(let_in(*listeners_.back()));
  return listeners_.back()->address();
}

Task<void> Standin::let_in(StreamListener& listener) {
  for (;;) {
    Result<std::unique_ptr<ByteStream>> stream = co_await listener.accept(kNever);
    if (stream) {
      flows_.spawn(serve(std::move(*stream)));
      continue;
    }
    if (stream.error().code() == Errc::closed) co_return;
    log::warning("Clients cannot be let in", {log::field("address", listener.address().text()),
                                              log::field("reason", stream.error().text())});
    co_await sleep_for(env_.scheduler, kPauseWithoutDescriptors);
  }
}

Task<void> Standin::serve(std::unique_ptr<ByteStream> stream) {
  SessionFlow session(around_, std::move(stream));
  sessions_.push_back(session);
  co_await session.run();
  sessions_.erase(session);
}

void Standin::command(std::string_view text) {
  const int drops = chaos_.drops();
  const std::optional<std::string> problem = chaos_.apply(text, env_.scheduler.now());
  if (problem) log::warning("Command not understood", {log::field("reason", *problem)});
  if (chaos_.drops() != drops) drop_connections();
}

void Standin::drop_connections() {
  for (SessionFlow* each = sessions_.front(); each != nullptr; each = sessions_.next(*each))
    each->hang_up();
}

Task<void> Standin::close() {
  for (const auto& listener : listeners_) listener->close();
  co_await doors_.join();
  drop_connections();
  co_await flows_.join();
}

}  // namespace forebay::standin
