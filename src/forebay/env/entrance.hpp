// Entrance: where streams come in: listens at addresses, and has whoever calls there served.
//
//   Entrance entrance(scheduler, network, [this](auto stream) { return serve(std::move(stream));
//   }); entrance.listen(at); entrance.open();
//   ...
//   co_await entrance.close();       // nobody more comes in
//   for (auto& each : ...) each.hang_up();
//   co_await entrance.join();        // all have been served
//
// Confined to the scheduler of its network, but for the constructor.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay {

class Entrance {
 public:
  // Until it is done with that stream; a task each. It must not throw.
  using Serve = std::function<Task<void>(std::unique_ptr<ByteStream>)>;

  Entrance(Scheduler& scheduler, StreamNetwork& network, Serve serve);
  Entrance(const Entrance&) = delete;
  Entrance& operator=(const Entrance&) = delete;
  ~Entrance();  // REQUIRES: it was never open, or close() and join() have ended

  // With the port that the system chose. Who calls there waits until open(). Errors are those of
  // StreamNetwork::listen().
  Result<StreamAddress> listen(const StreamAddress& at);
  // Whoever calls at what is listened to by now is served. If the system cannot let anybody in,
  // that is logged, and tried again.
  void open();
  // Nobody can call any more; afterwards serve() has begun for all who came in.
  Task<void> close();
  // co_await entrance.join(): resumes when all have been served. REQUIRES: close() has ended.
  TaskGroup::Join join() { return served_.join(); }

 private:
  Task<void> let_in(StreamListener& listener);

  Scheduler& scheduler_;
  StreamNetwork& network_;
  const Serve serve_;
  std::vector<std::unique_ptr<StreamListener>> listeners_;
  std::size_t open_ = 0;  // so many of them, from the front
  TaskGroup doors_;
  TaskGroup served_;
};

}  // namespace forebay
