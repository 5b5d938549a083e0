const char* const kWords =
    "the thread waits "  // of a comment nobody says anything
    "for ever";
const char* const kLong =
    "this sentence has one word after the other, and then one more, and so on and on, until there are more than any reader would want to read at once";
// Of what is here, nothing is right.
// Of a comment, the first line is read.
