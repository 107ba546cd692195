#include "forebay/env/entrance.hpp"

#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {

namespace {
constexpr Duration kPauseWithoutDescriptors = std::chrono::milliseconds(100);
}

Entrance::Entrance(Scheduler& scheduler, StreamNetwork& network, Serve serve)
    : scheduler_(scheduler),
      network_(network),
      serve_(std::move(serve)),
      doors_(scheduler),
      served_(scheduler) {}

Entrance::~Entrance() = default;

Result<StreamAddress> Entrance::listen(const StreamAddress& at) {
  Result<std::unique_ptr<StreamListener>> listener = network_.listen(at);
  if (!listener) return failure(std::move(listener).error());
  listeners_.push_back(std::move(*listener));
  return listeners_.back()->address();
}

void Entrance::open() {
  for (; open_ < listeners_.size(); ++open_) doors_.spawn(let_in(*listeners_[open_]));
}

Task<void> Entrance::let_in(StreamListener& listener) {
  for (;;) {
    Result<std::unique_ptr<ByteStream>> stream = co_await listener.accept(kNever);
    if (stream) {
      served_.spawn(serve_(std::move(*stream)));
      continue;
    }
    if (stream.error().code() == Errc::closed) co_return;
    log::warning("Clients cannot be let in", {log::field("address", listener.address().text()),
                                              log::field("reason", stream.error().text())});
    co_await sleep_for(scheduler_, kPauseWithoutDescriptors);
  }
}

// The tasks of those who came in were posted before their doors were closed, so they run first.
Task<void> Entrance::close() {
  for (const auto& listener : listeners_) listener->close();
  co_await doors_.join();
  listeners_.clear();
  open_ = 0;
}

}  // namespace forebay
