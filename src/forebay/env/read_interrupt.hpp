// ReadInterrupt: remembers that the read under way was asked to end, from the moment it is asked
// until it looks. A read that was just woken does not wait at that moment, and may wait again.
#pragma once

namespace forebay {

class ReadInterrupt {
 public:
  // Lives as long as the read.
  class Read {
   public:
    explicit Read(ReadInterrupt& interrupt) : interrupt_(interrupt) {
      interrupt_.is_reading_ = true;
      interrupt_.is_asked_ = false;
    }
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;
    ~Read() { interrupt_.is_reading_ = false; }

   private:
    ReadInterrupt& interrupt_;
  };

  void ask() { is_asked_ = is_reading_; }
  bool is_asked() const { return is_asked_; }

 private:
  bool is_reading_ = false;
  bool is_asked_ = false;
};

}  // namespace forebay
