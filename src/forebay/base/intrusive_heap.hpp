// A binary heap of elements that know their own place in it, so that any of them can leave
// in O(log n).
//
// Earlier(a, b) is a strict order without ties. The heap owns nothing; an element must have left
// before it dies.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "forebay/detail/base/check.hpp"
#include "forebay/detail/base/heap_place.hpp"

namespace forebay {

template <class T, HeapPlace T::* place, bool (*Earlier)(const T&, const T&)>
class IntrusiveHeap {
 public:
  IntrusiveHeap() = default;
  IntrusiveHeap(const IntrusiveHeap&) = delete;
  IntrusiveHeap& operator=(const IntrusiveHeap&) = delete;
  ~IntrusiveHeap() { FOREBAY_CHECK(heap_.empty()); }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  T& front() const { return *heap_.front(); }  // REQUIRES: !empty()

  void push(T& element) {
    FOREBAY_CHECK(!(element.*place).is_in_heap());
    heap_.push_back(&element);
    (element.*place).index = heap_.size() - 1;
    rise(heap_.size() - 1);
  }

  T& pop() {
    T& element = front();
    remove(element);
    return element;
  }

  // What it is ordered by has changed. REQUIRES: it is in the heap.
  void update(T& element) {
    rise((element.*place).index);
    sink((element.*place).index);
  }

  // False: it was not in the heap.
  bool remove(T& element) {
    const std::size_t hole = (element.*place).index;
    if (hole == HeapPlace::kNone) return false;
    FOREBAY_CHECK(hole < heap_.size() && heap_[hole] == &element);
    (element.*place).index = HeapPlace::kNone;
    T* last = heap_.back();
    heap_.pop_back();
    if (last == &element) return true;
    put(hole, *last);
    rise(hole);
    sink((last->*place).index);
    return true;
  }

 private:
  void put(std::size_t index, T& element) {
    heap_[index] = &element;
    (element.*place).index = index;
  }
  void rise(std::size_t index) {
    T& element = *heap_[index];
    while (index > 0) {
      const std::size_t parent = (index - 1) / 2;
      if (!Earlier(element, *heap_[parent])) break;
      put(index, *heap_[parent]);
      index = parent;
    }
    put(index, element);
  }
  void sink(std::size_t index) {
    T& element = *heap_[index];
    for (;;) {
      std::size_t child = 2 * index + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && Earlier(*heap_[child + 1], *heap_[child])) ++child;
      if (!Earlier(*heap_[child], element)) break;
      put(index, *heap_[child]);
      index = child;
    }
    put(index, element);
  }

  std::vector<T*> heap_;
};

}  // namespace forebay
