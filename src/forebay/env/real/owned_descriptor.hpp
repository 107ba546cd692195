// OwnedDescriptor: a descriptor of the system, closed unless it is released.
#pragma once

#include <utility>

#include <unistd.h>

namespace forebay::real {

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number) : number_(number) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  ~OwnedDescriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }  // below zero: there is none, and errno says why
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace forebay::real
