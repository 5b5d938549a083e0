// Includes what its library does not declare.
#include "high/high.h"
#include "low/low.h"
