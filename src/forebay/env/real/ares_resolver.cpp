// A lookup has a c-ares channel of its own. The sockets of the channel are gathered in one epoll
// descriptor, and the loop watches that: c-ares opens and closes sockets as it likes, and the loop
// need not know.
#include "forebay/env/real/ares_resolver.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <ares.h>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/real/owned_descriptor.hpp"

namespace forebay::real {
namespace {

using Addresses = std::vector<std::string>;

// For the whole process, once; it is never unloaded.
bool is_library_ready() {
  static const int ready = ares_library_init(ARES_LIB_INIT_ALL);
  return ready == ARES_SUCCESS;
}

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* raw =
      address->sa_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  const char* made = ::inet_ntop(address->sa_family, raw, text.data(), text.size());
  return made != nullptr ? made : "";
}

class AresLookup final : public NameLookup {
 public:
  AresLookup(Scheduler& scheduler, DescriptorWatcher& descriptors, std::string servers,
             std::string name)
      : scheduler_(scheduler),
        descriptors_(descriptors),
        servers_(std::move(servers)),
        name_(std::move(name)) {}
  AresLookup(const AresLookup&) = delete;
  AresLookup& operator=(const AresLookup&) = delete;
  ~AresLookup() override { end(); }

  Task<Result<Addresses>> run(Instant deadline) override {
    begun_ = scheduler_.now();
    if (Result<void> started = start(); !started) co_return failure(started.error());
    while (!status_ && !is_cancelled_) {
      const Instant step = deadline_after(scheduler_.now(), time_to_next_step());
      if (std::min(step, deadline) > scheduler_.now()) {
        // Ready or not: c-ares looks what has come, and what is due.
        const Result<void> ready =
            co_await watch_->wait(Readiness::readable, std::min(step, deadline));
        const bool is_broken = !ready && ready.error().code() == Errc::connection_lost;
        if (is_broken) co_return failure(trouble(Errc::connect_failed, ready.error().text()));
      }
      if (is_cancelled_ || status_) break;
      advance();
      if (!status_ && scheduler_.now() >= deadline) {
        co_return failure(trouble(Errc::timed_out, "no name server has answered"));
      }
    }
    if (is_cancelled_) co_return failure(trouble(Errc::closed, "the lookup was cancelled"));
    co_return outcome();
  }

  void cancel() override {
    is_cancelled_ = true;
    if (watch_) watch_->cancel();
  }

 private:
  Result<void> start() {
    if (!is_library_ready() || epoll_.number() < 0) return failure(no_means());
    ares_options options{};
    options.sock_state_cb = &follow_socket;
    options.sock_state_cb_data = this;
    if (ares_init_options(&channel_, &options, ARES_OPT_SOCK_STATE_CB) != ARES_SUCCESS) {
      channel_ = nullptr;
      return failure(no_means());
    }
    if (!servers_.empty() && ares_set_servers_ports_csv(channel_, servers_.c_str()) != ARES_SUCCESS)
      return failure(trouble(Errc::invalid, "\"" + servers_ + "\" is no list of name servers"));
    watch_ = descriptors_.watch(epoll_.number());
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, name_.c_str(), nullptr, &hints, &finish, this);
    return {};
  }

  // No further word of c-ares comes after this.
  void end() {
    if (channel_ != nullptr) ares_destroy(std::exchange(channel_, nullptr));
    watch_.reset();
  }

  static void follow_socket(void* self, ares_socket_t socket, int is_readable, int is_writable) {
    const int epoll = static_cast<AresLookup*>(self)->epoll_.number();
    epoll_event wanted{};
    wanted.events = (is_readable != 0 ? static_cast<unsigned>(EPOLLIN) : 0U) |
                    (is_writable != 0 ? static_cast<unsigned>(EPOLLOUT) : 0U);
    wanted.data.fd = socket;
    if (wanted.events == 0) {
      ::epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr);
    } else if (::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &wanted) != 0) {
      ::epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &wanted);
    }
  }

  static void finish(void* self, int status, int, ares_addrinfo* found) {
    AresLookup& lookup = *static_cast<AresLookup*>(self);
    lookup.status_ = status;
    if (found == nullptr) return;
    for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) {
      std::string address = text_of(node->ai_addr);
      if (!address.empty()) lookup.addresses_.push_back(std::move(address));
    }
    ares_freeaddrinfo(found);
  }

  Duration time_to_next_step() const {
    timeval longest{.tv_sec = 60, .tv_usec = 0};
    timeval next{};
    ares_timeout(channel_, &longest, &next);
    return std::chrono::seconds(next.tv_sec) + std::chrono::microseconds(next.tv_usec);
  }

  void advance() {
    std::array<epoll_event, 8> events{};
    const int count = ::epoll_wait(epoll_.number(), events.data(), events.size(), 0);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const bool is_readable = (event.events & ~static_cast<unsigned>(EPOLLOUT)) != 0;
      const bool is_writable = (event.events & static_cast<unsigned>(EPOLLOUT)) != 0;
      ares_process_fd(channel_, is_readable ? event.data.fd : ARES_SOCKET_BAD,
                      is_writable ? event.data.fd : ARES_SOCKET_BAD);
    }
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // what has waited for too long
  }

  Result<Addresses> outcome() {
    if (*status_ == ARES_SUCCESS && !addresses_.empty()) return std::move(addresses_);
    switch (*status_) {
      case ARES_SUCCESS:
      case ARES_ENODATA:
      case ARES_ENOTFOUND: return failure(trouble(Errc::refused, "there is no such name"));
      case ARES_EBADNAME: return failure(trouble(Errc::refused, "it cannot be the name of a host"));
      case ARES_ETIMEOUT:
        return failure(trouble(Errc::connect_failed, "no name server has answered"));
      case ARES_ECONNREFUSED:
        return failure(trouble(Errc::connect_failed, "no name server can be reached"));
      default: return failure(trouble(Errc::connect_failed, ares_strerror(*status_)));
    }
  }

  Error no_means() const {
    return trouble(Errc::connect_failed, "the system gives neither descriptors nor memory");
  }
  Error trouble(Errc code, std::string_view what) const {
    return Error(code, fmt::format("the host name \"{}\" could not be looked up: {} (it took {})",
                                   name_, what, readable_time(scheduler_.now() - begun_)));
  }

  Scheduler& scheduler_;
  DescriptorWatcher& descriptors_;
  const std::string servers_;
  const std::string name_;
  const OwnedDescriptor epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  std::unique_ptr<WatchedDescriptor> watch_;
  ares_channel channel_ = nullptr;
  Instant begun_{};
  std::optional<int> status_;  // c-ares's last word
  Addresses addresses_;
  bool is_cancelled_ = false;
};

}  // namespace

std::unique_ptr<NameLookup> AresResolver::look_up(std::string name) {
  return std::make_unique<AresLookup>(scheduler_, descriptors_, servers_, std::move(name));
}

}  // namespace forebay::real
