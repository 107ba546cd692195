// Task<T>: a lazily started coroutine with exactly one awaiter.
//
// A task tree lives on one Scheduler, which never runs two of its tasks at once, so nothing here is
// atomic. There is no symmetric transfer on purpose: g++ 12 makes a tail call of it only at -O2
// without sanitizers, and a long loop of awaits would overflow the stack in every other build.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/detail/env/frame_memory.hpp"

namespace forebay {

template <class T>
class Task;

namespace detail {

// g++ 12 destroys an aggregate temporary twice when it is written inside a co_await expression,
// as in `co_await f(Options{...})`. Types with a constructor are not affected, so only those
// may be passed.
template <class P>
concept SafeParameter = !std::is_aggregate_v<std::remove_cvref_t<P>> ||
                        std::is_trivially_destructible_v<std::remove_cvref_t<P>>;

template <class... P>
consteval void require_safe_parameters() {
  static_assert((SafeParameter<P> && ...),
                "give this parameter's type a constructor; g++ 12 frees aggregates twice");
}

// g++ 12 also destroys a lambda twice that is written inside a co_await expression. One that owns
// nothing bears it, and so does one that has a name.
template <class F>
concept SafeCallable =
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
    std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<F>;
#else
    true;
#endif

template <class F>
consteval void require_safe_callable() {
  static_assert(SafeCallable<F>,
                "name the function before the co_await and pass the name, or std::ref of it: g++ "
                "12 destroys what a lambda owns twice if it is written inside");
}

struct PromiseBase : FrameMemory {
  std::coroutine_handle<> awaiter{};  // set only once the awaiter has really suspended
  std::exception_ptr failure{};

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) const noexcept {
      // The awaiter may destroy this frame while it runs: nothing is touched after resume().
      if (std::coroutine_handle<> awaiter = self.promise().awaiter) awaiter.resume();
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  template <class... P>
  explicit Promise(const P&...) {
    require_safe_parameters<P...>();
  }
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& v) {
    value.emplace(std::forward<U>(v));
  }
  T take() {
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  template <class... P>
  explicit Promise(const P&...) {
    require_safe_parameters<P...>();
  }
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const {
    if (failure) std::rethrow_exception(failure);
  }
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Frame = std::coroutine_handle<promise_type>;

  explicit Task(Frame frame) noexcept : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> awaiter) {
    frame_.resume();
    if (frame_.done()) return false;  // finished without suspending: the stack stays flat
    frame_.promise().awaiter = awaiter;
    return true;
  }
  // The task ends here, with its parameters, before the awaiter goes on. A task awaited by name
  // would otherwise live to the end of its scope with clang, but not with g++ 12, which moves it.
  T await_resume() {
    const Task finished(std::move(*this));
    return finished.frame_.promise().take();
  }

  Frame frame() const noexcept { return frame_; }

 private:
  Frame frame_;
};

template <class T>
Task<T> detail::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace forebay
