// Package tutorials runs the tutorials in docs/tutorials as their readers do, so
// that a command that stops working, or an output that isn't true any more,
// fails a test. It is all in tests. What a fenced block is for shows in the text:
//
//   - sh is what the reader types. All blocks of a tutorial run in one bash, the
//     first one in the root of this repository. A command that fails ends the test;
//     with "sh exit=1" the last one of the block must end with that code.
//   - A block behind a line that ends with a path in backquotes and a colon is
//     written to that file. If it is a diff, the lines without a + are looked up in
//     the file, where they must be exactly once, and those without a - take their
//     place. A line that begins with @@ is between two places.
//   - Any other block is what the last sh block printed. "..." in it stands for
//     anything within a line, and as a line of its own for any number of lines.
//
// Commands within a paragraph aren't run. DATABASE_URL, ADDR and GOBIN are set for
// the test, so tutorials give their own values only as defaults.
package tutorials
