// Boost.JSON itself: header-only libraries of Boost are compiled into exactly one file.
#include <boost/json/src.hpp>
