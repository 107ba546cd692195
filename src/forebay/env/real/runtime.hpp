// Runtime: the real world for one process. One thread that runs every task of the library, and what
// the tasks may ask of the world.
//
//   forebay::Runtime runtime;
//   forebay::Result<int> answer = run_blocking(runtime.scheduler(), ask(runtime.env()));
//
// Make and destroy it on a thread of the application; the accessors may be called from any thread.
// Pools and clusters share it: its threads end with the last of them. Everything else that uses it
// must be gone before: when the last share dies, every task must have finished, and no other thread
// may be inside a call that uses it. It then runs what is still ready and joins its threads; a task
// that still waits for a timer stops the process. In a child after fork() it is of no use, and its
// destructor does nothing.
#pragma once

#include <memory>
#include <string>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/machine.hpp"
#include "forebay/env/name_resolver.hpp"

namespace forebay {

struct RuntimeOptions {
  // Who is asked for the addresses of hosts, as "10.0.0.2,10.0.0.3:5353". Empty: the name servers
  // of the system. /etc/hosts is read either way.
  std::string name_servers;
};

class Runtime {
 public:
  // Errc::refused: the system gives no threads.
  static Result<std::unique_ptr<Runtime>> start(const RuntimeOptions& options = {});
  // The same for callers who cannot go on without it: it says why and stops the process.
  explicit Runtime(const RuntimeOptions& options = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  Scheduler& scheduler();
  Env env();
  BlockingLane& lane();
  // One thread for token providers of the application, which may be slow, so that connects do not
  // wait for them on the other lane. The first call starts it.
  BlockingLane& token_lane();
  DescriptorWatcher& descriptors();  // for tasks of the scheduler
  NameResolver& names();             // for tasks of the scheduler
  // The first call starts a thread; who never calls has none.
  HttpTransport& http();
  Machine& machine();
  // Thread-safe, for ids and secrets: nobody can guess it, no two processes share it.
  Random& secure_random();

  // True on the one thread that runs the tasks. That thread must never block.
  bool is_current_thread() const;
  // True: the process was forked since, and the threads stayed with the parent.
  bool is_in_child() const;

  // The same runtime once more, for an object that needs it until its own end.
  Runtime share() const { return Runtime(parts_); }

 private:
  struct Parts;
  explicit Runtime(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;
};

}  // namespace forebay
