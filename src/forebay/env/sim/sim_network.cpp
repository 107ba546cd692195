#include "forebay/env/sim/sim_network.hpp"

#include <algorithm>
#include <deque>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/condition.hpp"

namespace forebay::sim {

class SimListener final : public StreamListener {
 public:
  static constexpr std::size_t kLongestLine = 128;

  SimListener(SimNetwork& network, Scheduler& scheduler, StreamAddress at)
      : network_(network), scheduler_(scheduler), address_(std::move(at)), called_(scheduler) {
    network_.listeners_.emplace(address_.text(), this);
  }
  ~SimListener() override {
    FOREBAY_CHECK(!is_accepting_, "a listener died while a task waited for callers");
    close();
  }

  Task<Result<std::unique_ptr<ByteStream>>> accept(Instant deadline) override {
    FOREBAY_CHECK(!is_accepting_, "a listener has one accept at a time");
    is_accepting_ = true;
    Result<std::unique_ptr<ByteStream>> next = co_await next_in_line(deadline);
    is_accepting_ = false;
    co_return next;
  }
  void close() override {
    if (is_closed_) return;
    is_closed_ = true;
    network_.listeners_.erase(address_.text());
    line_.clear();
    called_.end(WaitEnding::closed);
  }
  const StreamAddress& address() const override { return address_; }

  Scheduler& scheduler() const { return scheduler_; }
  bool is_full() const { return line_.size() >= kLongestLine; }
  void let_in(std::unique_ptr<ByteStream> caller) {
    line_.push_back(std::move(caller));
    called_.end(WaitEnding::ready);
  }

 private:
  Task<Result<std::unique_ptr<ByteStream>>> next_in_line(Instant deadline) {
    while (line_.empty()) {
      if (is_closed_) co_return failure(Errc::closed, "the listener is closed");
      const WaitEnding ending = co_await called_.until(deadline);
      if (ending == WaitEnding::timed_out)
        co_return failure(Errc::timed_out, "nobody called at " + address_.text());
    }
    std::unique_ptr<ByteStream> next = std::move(line_.front());
    line_.pop_front();
    co_return next;
  }

  SimNetwork& network_;
  Scheduler& scheduler_;
  const StreamAddress address_;
  StreamWait called_;
  std::deque<std::unique_ptr<ByteStream>> line_;  // nobody has accepted them yet
  bool is_accepting_ = false;
  bool is_closed_ = false;
};

Task<Result<std::unique_ptr<ByteStream>>> SimHost::connect(StreamAddress to, Until until) {
  const Instant answered = is_cut_off_ || network_.unreachable_.contains(to.text())
                               ? kNever
                               : deadline_after(scheduler_.now(), network_.some_delay());
  Condition nobody(scheduler_);
  co_await nobody.wait_until(Until(answered).within(until));
  if (until.is_cancelled())
    co_return failure(Errc::cancelled, "nobody wants to connect to " + to.text() + " any more");
  if (scheduler_.now() < answered || is_cut_off_)
    co_return failure(Errc::timed_out, "no answer from " + to.text() + " in time");
  SimListener* const listener = network_.listener_at(to);
  if (listener == nullptr || listener->is_full())
    co_return failure(Errc::connect_failed, "cannot connect to " + to.text() + ": refused");
  co_return network_.join_ends(*listener, scheduler_, name_);
}

Result<std::unique_ptr<StreamListener>> SimHost::listen(const StreamAddress& at) {
  StreamAddress chosen = at;
  if (!at.is_unix_socket() && at.port() == 0)
    chosen = StreamAddress::tcp(at.host(), network_.next_port_++);
  if (network_.listener_at(chosen) != nullptr)
    return failure(Errc::refused, "cannot listen on " + chosen.text() + ": it is taken");
  return std::make_unique<SimListener>(network_, scheduler_, std::move(chosen));
}

SimNetwork::~SimNetwork() {
  FOREBAY_CHECK(listeners_.empty(), "a network died while somebody listened on it");
}

void SimNetwork::set_reachable(const StreamAddress& address, bool is_reachable) {
  if (is_reachable) {
    unreachable_.erase(address.text());
  } else {
    unreachable_.insert(address.text());
  }
}

std::vector<std::shared_ptr<SimWire>> SimNetwork::wires() {
  std::vector<std::shared_ptr<SimWire>> there;
  for (const std::weak_ptr<SimWire>& each : wires_)
    if (std::shared_ptr<SimWire> wire = each.lock()) there.push_back(std::move(wire));
  return there;
}

std::vector<std::shared_ptr<SimWire>> SimNetwork::wires_of(std::string_view host) {
  std::vector<std::shared_ptr<SimWire>> all = wires();
  std::erase_if(all, [host](const auto& wire) { return !wire->is_of(host); });
  return all;
}

SimListener* SimNetwork::listener_at(const StreamAddress& address) {
  const auto found = listeners_.find(address.text());
  return found == listeners_.end() ? nullptr : found->second;
}

std::unique_ptr<ByteStream> SimNetwork::join_ends(SimListener& listener, Scheduler& caller,
                                                  const std::string& caller_name) {
  using Side = SimWire::Side;
  std::erase_if(wires_, [](const auto& each) { return each.expired(); });
  const auto wire = std::make_shared<SimWire>(options_, random_);
  wire->note_hosts(caller_name, listener.address().host());
  wires_.push_back(wire);
  const StreamAddress from = StreamAddress::tcp(caller_name, next_port_++);
  listener.let_in(std::make_unique<SimStream>(wire, Side::called, listener.scheduler(),
                                              StreamPeer(from.text())));
  return std::make_unique<SimStream>(wire, Side::caller, caller,
                                     StreamPeer(listener.address().text()));
}

}  // namespace forebay::sim
