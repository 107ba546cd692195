// Counts what a thread allocates. It replaces operator new, so one file of a program includes it.
#pragma once

#include <cstdlib>
#include <new>

namespace forebay::test {

inline thread_local bool is_counting = false;
inline thread_local int allocations = 0;

int allocations_of(auto&& work) {
  allocations = 0;
  is_counting = true;
  work();
  is_counting = false;
  return allocations;
}

}  // namespace forebay::test

// Inlined into one caller, g++ takes new and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (forebay::test::is_counting) ++forebay::test::allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
