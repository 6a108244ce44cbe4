// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rounds, the comparison of pictures and the table.
#include "samples/frames/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "samples/frames/render.hpp"

namespace frames {
namespace {

struct Contender {
  std::unique_ptr<Backend> backend;
  std::vector<RenderCost> costs = {};  // one per round
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double median_ms(const Contender& contender, Milliseconds RenderCost::* time) {
  std::vector<double> values;
  for (const RenderCost& cost : contender.costs) values.push_back((cost.*time).count());
  return median(std::move(values));
}

// Renders once more and compares the picture with the first one of any backend.
class Gallery {
 public:
  Gallery(const Mesh& mesh, const Options& options)
      : mesh_(mesh), options_(options), first_(options.width, options.height), next_(first_) {}

  void add_picture_by(Contender& contender) {
    Backend& backend = *contender.backend;
    Image& image = count_ == 0 ? first_ : next_;
    const RenderCost cost = render(backend, mesh_, options_.samples, image);
    fmt::print("{:<6} {:>2} {:<7}  {:8.2f} s\n", backend.name(), backend.worker_count(),
               backend.worker_count() == 1 ? "worker" : "workers", cost.trace.count() / 1000);
    std::fflush(stdout);
    if (++count_ > 1 && image != first_) {
      throw std::runtime_error("the picture of " + backend.name() + " differs from the first one");
    }
    contender.costs.push_back(cost);
  }

  int count() const { return count_; }
  Image take() && { return std::move(first_); }

 private:
  const Mesh& mesh_;
  const Options& options_;
  Image first_;
  Image next_;
  int count_ = 0;
};

void print_table(const std::vector<const Contender*>& contenders, double pixel_count) {
  const double reference = median_ms(*contenders.front(), &RenderCost::trace);
  fmt::print("\nbackend  workers  build ms   trace ms  Mray/s  steals    busy  speed-up\n");
  for (const Contender* contender : contenders) {
    const double trace = median_ms(*contender, &RenderCost::trace);
    const RenderCost& last = contender->costs.back();
    fmt::print("{:<7}  {:7}  {:8.1f}  {:9.1f}  {:6.2f}  {:>6}  {:4.0f} %  {:7.2f}x\n",
               contender->backend->name(), contender->backend->worker_count(),
               median_ms(*contender, &RenderCost::build), trace,
               static_cast<double>(last.rays) / trace / 1e3,
               last.steals ? fmt::to_string(*last.steals) : "-", 100 * last.utilisation,
               reference / trace);
  }
  const RenderCost& any = contenders.front()->costs.front();
  fmt::print("\neach picture: {:.1f} million rays, {:.1f} paths per pixel\n",
             static_cast<double>(any.rays) / 1e6, static_cast<double>(any.samples) / pixel_count);
}

void print_ratio(const Contender& jobs, const Contender& tbb) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < jobs.costs.size(); ++i)
    ratios.push_back(tbb.costs[i].trace / jobs.costs[i].trace);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print(
      "jobs against oneTBB {}: {:.3f} times its speed (median of {} rounds in turns, {:.3f} to "
      "{:.3f})\n",
      tbb_version(), median(ratios), ratios.size(), *low, *high);
}

double pixel_count(const Options& options) {
  return static_cast<double>(options.width) * options.height;
}

Image compare_all(const Mesh& mesh, const Options& options) {
  Contender serial{make_serial_backend()};
  Contender jobs{make_jobs_backend(options.workers)};
  Contender tbb{make_tbb_backend(jobs.backend->worker_count())};
  Gallery gallery(mesh, options);
  gallery.add_picture_by(serial);
  for (int round = 0; round < options.rounds; ++round) {
    // The second backend of a round finds the caches and the clock frequency as the first one left
    // them. Therefore the backends alternate in this, too.
    const bool jobs_first = round % 2 == 0;
    gallery.add_picture_by(jobs_first ? jobs : tbb);
    gallery.add_picture_by(jobs_first ? tbb : jobs);
  }
  print_table({&serial, &tbb, &jobs}, pixel_count(options));
  print_ratio(jobs, tbb);
  fmt::print("all {} pictures are equal, byte for byte\n", gallery.count());
  return std::move(gallery).take();
}

Image render_alone(std::unique_ptr<Backend> backend, const Mesh& mesh, const Options& options) {
  Contender contender{std::move(backend)};
  Gallery gallery(mesh, options);
  gallery.add_picture_by(contender);
  print_table({&contender}, pixel_count(options));
  return std::move(gallery).take();
}

}  // namespace

Image render_and_report(const Mesh& mesh, const Options& options) {
  if (options.backend == "serial") return render_alone(make_serial_backend(), mesh, options);
  if (options.backend == "tbb")
    return render_alone(make_tbb_backend(options.workers), mesh, options);
  if (options.backend == "jobs")
    return render_alone(make_jobs_backend(options.workers), mesh, options);
  return compare_all(mesh, options);
}

}  // namespace frames
