// start_thread(name, work): a thread on which no signal handler of the application runs.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "forebay/base/error.hpp"

namespace forebay::real {

// Names have at most 15 letters. Errc::refused: the system gives no thread.
Result<std::thread> start_thread(const char* name, std::move_only_function<void()> work);

// The same for an owner that cannot live without it: says so and stops the process.
std::thread start_thread_or_stop(const char* name, std::move_only_function<void()> work);

}  // namespace forebay::real
