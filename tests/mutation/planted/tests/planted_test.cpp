// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The test of ../jobs/planted.cpp.
namespace planted {

bool is_small(int number);
int twice();
int half(int number);
int compare();

}  // namespace planted

int main() {
  if (!planted::is_small(3) || planted::is_small(30)) return 1;
  if (planted::twice() != 1) return 2;
  if (planted::compare() != 1) return 3;
  return planted::half(8) == 4 ? 0 : 4;
}
