// Streams between a simulated proxy and its server that somebody meddles with, to plant bugs.
#pragma once

#include <list>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "forebay/sim/tampering.hpp"

namespace forebay::sim {

// A stream that somebody between the proxy and the server meddles with.
class MeddledStream : public ByteStream {
 public:
  explicit MeddledStream(std::unique_ptr<ByteStream> honest) : honest_(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    co_return co_await honest_->read(into, deadline);
  }
  void interrupt_read() override { honest_->interrupt_read(); }
  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override {
    co_return co_await honest_->write(pieces, deadline);
  }
  Task<Result<void>> finish(Instant deadline) override {
    co_return co_await honest_->finish(deadline);
  }
  void close() override { honest_->close(); }
  const StreamPeer& peer() const override { return honest_->peer(); }
  void leave() override { honest_->leave(); }
  Result<void> join(StreamNetwork& network) override { return honest_->join(network); }

 protected:
  static std::string_view text_of(ConstBytes piece) {
    return {reinterpret_cast<const char*>(piece.data()), piece.size()};
  }
  static bool is_cancel(std::span<const ConstBytes> pieces) {
    static constexpr std::string_view kRequest("\x04\xd2\x16\x2e");
    const std::string_view bytes = text_of(pieces[0]);
    return bytes.size() >= 8 && bytes.substr(4, 4) == kRequest;
  }

  std::unique_ptr<ByteStream> honest_;
};

template <class Stream>
class MeddledNetwork final : public StreamNetwork {
 public:
  MeddledNetwork(StreamNetwork& honest, Scheduler& scheduler)
      : honest_(honest), scheduler_(scheduler) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override {
    Result<std::unique_ptr<ByteStream>> stream = co_await honest_.connect(to, until);
    if (!stream) co_return stream;
    co_return meddled(std::move(*stream));
  }
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override {
    return honest_.listen(at);
  }

 private:
  std::unique_ptr<ByteStream> meddled(std::unique_ptr<ByteStream> stream) {
    if constexpr (std::is_constructible_v<Stream, std::unique_ptr<ByteStream>, Scheduler&,
                                          StreamNetwork&>) {
      return std::make_unique<Stream>(std::move(stream), scheduler_, honest_);
    } else {
      return std::make_unique<Stream>(std::move(stream), scheduler_);
    }
  }

  StreamNetwork& honest_;
  Scheduler& scheduler_;
};

template <class Stream>
class WithStreams final : public Tampering {
 public:
  StreamNetwork& way_to_server(StreamNetwork& honest, Scheduler& scheduler) override {
    return networks_.emplace_back(honest, scheduler);
  }

 private:
  std::list<MeddledNetwork<Stream>> networks_;
};

}  // namespace forebay::sim
