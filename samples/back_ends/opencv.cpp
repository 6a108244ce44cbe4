// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop over the pixels of an image on the workers of jobs. docs/back-ends.md shows parts of it.
#include "jobs/interop/opencv.hpp"

#include <iostream>

int main() {
  jobs::interop::use_opencv_backend();

  cv::Mat image(480, 640, CV_8UC1);
  image.forEach<unsigned char>([](unsigned char& pixel, const int* at) {
    pixel = static_cast<unsigned char>((at[0] + at[1]) % 256);
  });
  cv::Mat inverted, table(1, 256, CV_8UC1);
  for (int i = 0; i < 256; ++i) table.at<unsigned char>(i) = static_cast<unsigned char>(255 - i);
  cv::LUT(image, table, inverted);

  std::cout << "the last pixel is " << int{inverted.at<unsigned char>(479, 639)} << '\n';
  return inverted.at<unsigned char>(479, 639) == 255 - (479 + 639) % 256 ? 0 : 1;
}
