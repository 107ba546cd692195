// Ticker: calls something every so often, on a thread of its own, until it is destroyed. What the
// call throws is logged, and the next one comes all the same.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace forebay {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds every, std::function<void()> action);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();  // waits for the call under way

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay
