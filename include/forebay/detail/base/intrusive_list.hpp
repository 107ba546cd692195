// A doubly linked list whose links live in its elements: linking allocates nothing, and an element
// leaves in O(1) from wherever it stands.
//
// Always: an element is in at most one list per link member. The list owns nothing; an element must
// be unlinked before it dies.
#pragma once

#include <cstddef>

#include "forebay/detail/base/check.hpp"

namespace forebay {

template <class T>
struct ListLink {
  T* previous = nullptr;
  T* next = nullptr;
  const void* list = nullptr;  // the list it is in; null when it is in none

  bool is_linked() const { return list != nullptr; }
};

template <class T, ListLink<T> T::* link>
class IntrusiveList {
 public:
  IntrusiveList() = default;
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() { FOREBAY_CHECK(empty()); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* front() const { return front_; }  // null when empty
  T* back() const { return back_; }
  static T* next(const T& element) { return (element.*link).next; }
  bool contains(const T& element) const { return (element.*link).list == this; }

  void push_back(T& element) { insert_before(nullptr, element); }
  void push_front(T& element) { insert_before(front_, element); }

  // A null position means the end.
  void insert_before(T* position, T& element) {
    ListLink<T>& own = element.*link;
    FOREBAY_CHECK(!own.is_linked());
    own.list = this;
    own.next = position;
    own.previous = position != nullptr ? (position->*link).previous : back_;
    (own.previous != nullptr ? (own.previous->*link).next : front_) = &element;
    (position != nullptr ? (position->*link).previous : back_) = &element;
    ++size_;
  }

  void erase(T& element) {
    ListLink<T>& own = element.*link;
    FOREBAY_CHECK(own.list == this);
    (own.previous != nullptr ? (own.previous->*link).next : front_) = own.next;
    (own.next != nullptr ? (own.next->*link).previous : back_) = own.previous;
    own = {};
    --size_;
  }

  // From another list to the end of this one, in one step: for hot paths.
  void take_from(IntrusiveList& other, T& element) {
    ListLink<T>& own = element.*link;
    FOREBAY_CHECK(own.list == &other);
    (own.previous != nullptr ? (own.previous->*link).next : other.front_) = own.next;
    (own.next != nullptr ? (own.next->*link).previous : other.back_) = own.previous;
    --other.size_;
    own.list = this;
    own.next = nullptr;
    own.previous = back_;
    (back_ != nullptr ? (back_->*link).next : front_) = &element;
    back_ = &element;
    ++size_;
  }

  T* pop_front() {
    T* element = front_;
    if (element != nullptr) erase(*element);
    return element;
  }

 private:
  T* front_ = nullptr;
  T* back_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace forebay
