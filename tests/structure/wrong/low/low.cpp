// Includes what its library does not declare.
#include "low/low.h"

#include "high/high.h"
