// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs/interop/opencv.hpp: loops of OpenCV run on workers, with the results of one thread.
#include "jobs/interop/opencv.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

constexpr int kMany = 1000;

// In a job of a scheduler with this number of workers, and on an external thread. Not WithWorkers:
// OpenCV keeps memory for each thread.
class OpenCv : public testing::TestWithParam<unsigned> {
 protected:
  static void SetUpTestSuite() { jobs::interop::use_opencv_backend(); }

  template <class F>
  void run(F&& body) {
    jobs::Scheduler scheduler({.worker_count = GetParam()});
    scheduler.run(body);
    const jobs::SchedulerScope scope(scheduler);
    body();
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, OpenCv, testing::Values(1, 2, 4, 16));

TEST_P(OpenCv, VisitsEachIndexOnce) {
  run([] {
    EXPECT_EQ(cv::getNumThreads(), static_cast<int>(jobs::worker_count()));
    for (const double stripes : {-1.0, 3.0, 100.0}) {
      std::vector<std::atomic<int>> visits(kMany);
      cv::parallel_for_(
          cv::Range(0, kMany),
          [&](const cv::Range& range) {
            for (int i = range.start; i < range.end; ++i) ++visits[static_cast<std::size_t>(i)];
          },
          stripes);
      for (const auto& count : visits) ASSERT_EQ(count, 1);
    }
  });
}

TEST_P(OpenCv, PassesAnExceptionToTheCaller) {
  run([] {
    const auto throws = [](const cv::Range& range) {
      if (range.start <= kMany / 2 && kMany / 2 < range.end) throw std::runtime_error("body");
    };
    EXPECT_THROW(cv::parallel_for_(cv::Range(0, kMany), throws), std::runtime_error);
  });
}

TEST_P(OpenCv, WaitsInsideOfALoop) {
  run([] {
    jobs::Counter counter;
    std::atomic<int> sum = 0;
    cv::parallel_for_(cv::Range(0, 16), [&](const cv::Range& range) {
      jobs::Counter inner;
      for (int i = range.start; i < range.end; ++i) jobs::spawn(inner, [&] { ++sum; });
      inner.wait();
      // A loop inside of a loop runs on its thread alone.
      cv::parallel_for_(cv::Range(0, 10), [&](const cv::Range& part) { sum += part.size(); });
    });
    EXPECT_EQ((sum - 16) % 10, 0);
    EXPECT_GE(sum, 26);
  });
}

TEST_P(OpenCv, MayBeCalledByManyJobsAtATime) {
  run([] {
    jobs::Counter counter;
    std::atomic<int> sum = 0;
    for (int i = 0; i < 8; ++i) {
      jobs::spawn(counter, [&] {
        cv::parallel_for_(cv::Range(0, kMany),
                          [&](const cv::Range& range) { sum += range.size(); });
      });
    }
    counter.wait();
    EXPECT_EQ(sum, 8 * kMany);
  });
}

TEST_P(OpenCv, RunsTheFunctionsOfOpenCv) {
  run([] {
    cv::Mat image(600, 800, CV_8UC3);
    image.forEach<cv::Vec3b>([](cv::Vec3b& pixel, const int* at) {
      pixel = cv::Vec3b(static_cast<std::uint8_t>(at[0]), static_cast<std::uint8_t>(at[1]), 7);
    });
    cv::Mat table(1, 256, CV_8U), inverted;
    for (int i = 0; i < 256; ++i) table.at<std::uint8_t>(i) = static_cast<std::uint8_t>(255 - i);
    cv::LUT(image, table, inverted);
    for (int y = 0; y < image.rows; ++y) {
      for (int x = 0; x < image.cols; ++x) {
        ASSERT_EQ(inverted.at<cv::Vec3b>(y, x),
                  cv::Vec3b(static_cast<std::uint8_t>(255 - y % 256),
                            static_cast<std::uint8_t>(255 - x % 256), 248));
      }
    }
  });
}

// Returns the largest number of parts of a loop that ran at the same time.
int most_at_a_time() {
  std::atomic<int> inside = 0, most = 0;
  cv::parallel_for_(
      cv::Range(0, 64),
      [&](const cv::Range&) {
        const int now = ++inside;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
      },
      64);
  return most;
}

TEST(OpenCvThreads, AreLimited) {
  jobs::interop::use_opencv_backend();
  jobs::Scheduler scheduler({.worker_count = 4});
  scheduler.run([] {
    cv::setNumThreads(2);
    EXPECT_EQ(cv::getNumThreads(), 2);
    EXPECT_LE(most_at_a_time(), 2);
    cv::setNumThreads(1);
    EXPECT_EQ(most_at_a_time(), 1);
    cv::setNumThreads(8);
    EXPECT_EQ(cv::getNumThreads(), 4);
  });
}

TEST(OpenCvThreads, AreWorkers) {
  jobs::interop::use_opencv_backend();
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    jobs::Latch both_here(2);
    std::atomic<int> indices = 0;
    cv::parallel_for_(
        cv::Range(0, 2),
        [&](const cv::Range& range) {
          indices |= 1 << cv::getThreadNum();
          both_here.count_down(static_cast<std::size_t>(range.size()));
          // Without a switch: both workers are needed.
          while (!both_here.try_wait()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        2);
    EXPECT_EQ(indices, 0b11);
  });
}

}  // namespace
