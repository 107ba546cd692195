#include "forebay/standin/standin.hpp"

#include <utility>

#include "forebay/base/log.hpp"

namespace forebay::standin {

Standin::Standin(Env env, StreamNetwork& network, TlsServer& tls, Backend& backend,
                 StandinOptions options)
    : env_(env),
      options_(std::move(options)),
      rules_(options_.rules),
      door_(options_.connects_per_second, options_.connect_burst, options_.max_sessions),
      chaos_(env.random),
      world_{options_.rules, catalog_, chaos_, options_.has_schema_conflicts},
      around_{
          env_,   options_, tls,    backend,   rules_,
          world_, door_,    chaos_, counters_, [this](std::string_view text) { command(text); }},
      entrance_(env.scheduler, network,
                [this](std::unique_ptr<ByteStream> stream) { return serve(std::move(stream)); }) {
  for (const std::string& told : options_.chaos) command(told);
}

Standin::~Standin() = default;

Result<StreamAddress> Standin::listen(const StreamAddress& at) {
  Result<StreamAddress> listening = entrance_.listen(at);
  entrance_.open();
  return listening;
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
  co_await entrance_.close();
  drop_connections();
  co_await entrance_.join();
}

}  // namespace forebay::standin
