// Runtime: the real world for one process: loops, each a thread that runs tasks, and what the tasks
// may ask of the world.
//
//   forebay::Runtime runtime;
//   forebay::Result<int> answer = run_blocking(runtime.scheduler(), ask(runtime.env()));
//
// There is one loop unless more are asked for. What the library does by itself runs on the first;
// pools are used by tasks of all of them, each on its own loop.
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

#include "forebay/base/error.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

// What only the library's own parts use.
class BlockingLane;
class DescriptorWatcher;
class HttpTransport;
class Machine;
class NameResolver;
class StreamNetwork;

struct RuntimeOptions {
  // The name servers to ask for addresses of hosts, as "10.0.0.2,10.0.0.3:5353". Empty: those of
  // the system. /etc/hosts is read either way.
  std::string name_servers;
  // Threads that run tasks, 1 to 64. One serves thousands of connections; a program that does much
  // in its own tasks, as a proxy does, wants about as many as there are processors.
  int loops = 1;
};

// One of a runtime's loops: what its tasks, and no others, may ask of the world.
struct Loop {
  Env env;
  DescriptorWatcher& descriptors;
  NameResolver& names;
  StreamNetwork& streams;
};

class Runtime {
 public:
  // Errc::refused: the system gives no threads. Errc::invalid: the options.
  static Result<std::unique_ptr<Runtime>> start(const RuntimeOptions& options = {});
  // The same for callers who cannot go on without it: it says why and stops the process.
  explicit Runtime(const RuntimeOptions& options = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  // Of the first loop, for its tasks.
  Scheduler& scheduler();
  Env env();
  int loops() const;
  Loop loop(int index);  // REQUIRES: from 0, and less than loops()
  Loop here();           // that of the task that asks; on other threads, the first
  BlockingLane& lane();
  // One thread for token providers of the application, which may be slow, so that connects do not
  // wait for them on the other lane. The first call starts it.
  BlockingLane& token_lane();
  DescriptorWatcher& descriptors();  // for tasks of any loop: registers with their own
  NameResolver& names();             // of the first loop, as are the streams
  StreamNetwork& streams();
  // The first call starts a thread; without one there is none. For tasks of the first loop, as is
  // the machine.
  HttpTransport& http();
  Machine& machine();
  // Thread-safe, for ids and secrets: nobody can guess it, no two processes share it.
  Random& secure_random();

  // True on the threads that run tasks, which must never block.
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
