#include "forebay/env/real/socket_watch.hpp"

#include <utility>

#include <unistd.h>

namespace forebay::real {
namespace {

template <class T>
struct WaitAllocator {
  using value_type = T;
  explicit WaitAllocator(WaitMemory& taken_from) : memory(&taken_from) {}
  template <class U>
  explicit WaitAllocator(const WaitAllocator<U>& other) : memory(other.memory) {}

  T* allocate(std::size_t count) { return static_cast<T*>(memory->take(sizeof(T) * count)); }
  void deallocate(T* pointer, std::size_t) { memory->give_back(pointer); }
  template <class U>
  bool operator==(const WaitAllocator<U>& other) const {
    return memory == other.memory;
  }

  WaitMemory* memory;
};

}  // namespace

// What the loop calls when the socket is ready, or broken, or gone: the next call to the system
// tells which. By then the memory of the wait is free again.
struct SocketWatch::WaitHandler {
  using allocator_type = WaitAllocator<void>;
  allocator_type get_allocator() const noexcept { return allocator_type(direction->memory); }

  void operator()(const boost::system::error_code&) const {
    direction->is_asked = false;
    direction->wait.end(WaitEnding::ready);
  }

  std::shared_ptr<SocketWatch> watch;
  Direction* direction;
};

Result<std::shared_ptr<SocketWatch>> SocketWatch::make(boost::asio::io_context& context,
                                                       Scheduler& scheduler, int socket) {
  auto watch = std::make_shared<SocketWatch>(context, scheduler);
  boost::system::error_code error;
  watch->descriptor_.assign(socket, error);
  if (!error) return watch;
  ::close(socket);
  return failure(Errc::limit_reached, "the loop cannot watch a socket: " + error.message());
}

SocketWatch::SocketWatch(boost::asio::io_context& context, Scheduler& scheduler)
    : descriptor_(context),
      read_(scheduler, Descriptor::wait_read),
      write_(scheduler, Descriptor::wait_write) {}

StreamWait& SocketWatch::ask(Direction& direction) {
  if (!direction.is_asked) {
    direction.is_asked = true;
    descriptor_.async_wait(direction.what, WaitHandler{shared_from_this(), &direction});
  }
  return direction.wait;
}

void SocketWatch::close() {
  boost::system::error_code ignored;
  descriptor_.close(ignored);
  read_.wait.end(WaitEnding::closed);
  write_.wait.end(WaitEnding::closed);
}

int SocketWatch::release() {
  FOREBAY_CHECK(!read_.wait.has_task() && !write_.wait.has_task(),
                "a stream left its loop while a task waited for it");
  return descriptor_.release();
}

}  // namespace forebay::real
