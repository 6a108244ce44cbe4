// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions for ../../check-planted, which knows the fate of each mutant.
namespace planted {

int calls = 0;

void count() { ++calls; }

// The test sees each change but that of the border.
bool is_small(int number) { return number < 10; }

// The test sees that the first call is left out, and not that the second one is.
int twice() {
  count();
  int result = calls;
  count();
  return result;
}

// Without its body, this loop does not end.
int half(int number) {
  int left = 0;
  while (number > 0) {
    number -= 2;
    left += 1;
  }
  return left;
}

// No test calls it.
void forgotten() { count(); }

// The build leaves out the branch with a mutant.
#if defined(JOBS_ASAN) && !defined(JOBS_MODEL)
void described() { count(); }
#else
void described() {}
#endif

// It has no operator <=, so the mutant of the border does not compile.
struct Only {
  bool operator<(int other) const { return other == 1; }
};
int compare() { return Only() < 1 ? 1 : 0; }

}  // namespace planted
