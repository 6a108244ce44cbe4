// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Adaptive sampling of pixels, and the light transport along one path.
#include "samples/frames/tracer.hpp"

#include <cmath>
#include <numbers>

#include "samples/frames/fp_environment.hpp"
#include "samples/frames/sampler.hpp"
#include "samples/frames/studio.hpp"

namespace frames {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kMaxBounces = 7;
// From this bounce on, a path may end randomly, in proportion to its remaining contribution.
constexpr int kSureBounces = 3;
// Distance of a new ray's origin from the surface, so that the ray does not hit it again.
constexpr float kOffset = 2e-4f;
// Brighter samples are cut: one in a million would leave a white dot.
constexpr float kMaxSample = 6;
constexpr int kSamplesPerTest = 8;
constexpr int kMinSamples = 2 * kSamplesPerTest;
// The standard error of a finished pixel, on the perceptual scale from 0 to 1.
constexpr float kTolerance = 0.009f;

// Returns a microfacet normal that is visible from `outgoing`, both in the frame of the surface.
// The facets form half an ellipsoid. Stretched to half a sphere, its visible part is a disc with
// one half squeezed (Heitz, "Sampling the GGX Distribution of Visible Normals", 2018).
Vec3 visible_facet(Vec3 outgoing, float alpha, Pair random) {
  const Vec3 view = normalized({alpha * outgoing.x, alpha * outgoing.y, outgoing.z});
  const Vec3 level = view.z < 0.9999f ? normalized(cross({0, 0, 1}, view)) : Vec3{1, 0, 0};
  const Vec3 slope = cross(view, level);
  const float radius = std::sqrt(random.u);
  const float angle = 2 * kPi * random.v;
  const float squeeze = (1 + view.z) / 2;
  const float x = radius * std::cos(angle);
  const float y = (1 - squeeze) * std::sqrt(1 - x * x) + squeeze * radius * std::sin(angle);
  const float height = std::sqrt(std::max(0.0f, 1 - x * x - y * y));
  const Vec3 facet = level * x + slope * y + view * height;
  return normalized({alpha * facet.x, alpha * facet.y, std::max(1e-6f, facet.z)});
}

// Returns the part of the facets that no other facet hides, seen from a direction of this height
// (Smith).
float unhidden(float cosine, float alpha) {
  const float tangent2 = (1 - cosine * cosine) / (cosine * cosine);
  return 2 / (1 + std::sqrt(1 + alpha * alpha * tangent2));
}

float mirrored_part(float coat, float cosine) {
  const float x = 1 - cosine;
  return coat + (1 - coat) * (x * x) * (x * x) * x;
}

Vec3 cosine_direction(Vec3 normal, Pair random) {
  const float radius = std::sqrt(random.u);
  const float angle = 2 * kPi * random.v;
  return Frame(normal).to_world({radius * std::cos(angle), radius * std::sin(angle),
                                 std::sqrt(std::max(0.0f, 1 - random.u))});
}

class Path {
 public:
  Path(const Scene& scene, Sampler sampler, std::uint64_t& rays)
      : scene_(scene), sampler_(sampler), rays_(rays) {}

  Vec3 radiance(Ray ray) {
    Vec3 sum;
    Vec3 weight = {1, 1, 1};
    // False after a scattering, because the scattering has sampled the lights. It stays false on
    // mirrors behind it. Light that a mirror throws on a dull surface is omitted: it is found by
    // chance only and would be noise.
    bool sees_lights = true;
    for (int bounce = 0; bounce < kMaxBounces; ++bounce) {
      ++rays_;
      const Encounter met = first_encounter(scene_, ray);
      if (met.light != nullptr) return sees_lights ? sum + weight * met.light->radiance : sum;
      if (!met.has_surface) return sum + weight * sky(ray.direction);
      const Surface& surface = met.surface;
      sum += weight * sky(ray.direction) * surface.haze;
      if (surface.haze >= 1) return sum;
      weight *= 1 - surface.haze;

      const Vec3 outgoing = -ray.direction;
      const float seen_at = std::max(dot(outgoing, surface.normal), 1e-3f);
      const float mirrored = mirrored_part(surface.material.coat, seen_at);
      const Vec3 scattered = surface.material.colour * (1 - mirrored);
      sum += weight * scattered * lit_by_lights(surface);

      const float chance = std::clamp(mirrored / (mirrored + luminance(scattered)), 0.2f, 0.8f);
      Vec3 direction;
      if (sampler_.next() < chance) {
        if (!mirror(surface, outgoing, chance, direction, weight)) return sum;
      } else {
        sees_lights = false;
        weight *= scattered / (1 - chance);
        direction = cosine_direction(surface.normal, sampler_.next_pair());
        if (dot(direction, surface.face_normal) <= 0) return sum;
      }
      if (bounce >= kSureBounces) {
        const float survival = std::min(0.95f, largest(weight));
        if (sampler_.next() >= survival) return sum;
        weight *= 1 / survival;
      }
      ray = {surface.point + surface.face_normal * kOffset, direction};
    }
    return sum;
  }

 private:
  bool mirror(const Surface& surface, Vec3 outgoing, float chance, Vec3& direction, Vec3& weight) {
    const Frame frame(surface.normal);
    const float alpha = surface.material.roughness * surface.material.roughness;
    Vec3 local = frame.to_local(outgoing);
    local.z = std::max(local.z, 1e-3f);
    const Vec3 facet = visible_facet(normalized(local), alpha, sampler_.next_pair());
    const Vec3 incoming = reflected(normalized(local), facet);
    if (incoming.z <= 0) return false;
    direction = normalized(frame.to_world(incoming));
    if (dot(direction, surface.face_normal) <= 0) return false;
    const float at_facet =
        mirrored_part(surface.material.coat, std::clamp(dot(local, facet), 0.0f, 1.0f));
    weight *= at_facet / chance * unhidden(incoming.z, alpha);
    return true;
  }

  // One shadow ray to a random point of one random light.
  Vec3 lit_by_lights(const Surface& surface) {
    const auto light_count = static_cast<float>(lights().size());
    const Light& light = lights()[static_cast<std::size_t>(sampler_.next() * light_count)];
    const Vec3 from = surface.point + surface.face_normal * kOffset;
    const Vec3 way = light.point(sampler_.next_pair()) - from;
    const float distance = length(way);
    const Vec3 direction = way / distance;
    const float arrives = dot(direction, surface.normal);
    const float leaves = -dot(direction, light.facing);
    if (arrives <= 0 || leaves <= 0 || dot(direction, surface.face_normal) <= 0) return {};
    ++rays_;
    if (scene_.is_occluded({from, direction}, distance)) return {};
    return light.radiance *
           (arrives * leaves * light.area() * light_count / (kPi * distance * distance));
  }

  const Scene& scene_;
  Sampler sampler_;
  std::uint64_t& rays_;
};

// The perceptual scale, as film: Narkowicz's fit of the ACES curve, then the transfer function of
// sRGB.
float developed(float x) {
  x = std::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
  return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

std::uint8_t to_byte(float x) { return static_cast<std::uint8_t>(developed(x) * 255 + 0.5f); }

Vec3 render_pixel(const Scene& scene, const Shot& shot, int x, int y, TileCost& cost) {
  Vec3 sum;
  float tone_sum = 0;
  float tone_square_sum = 0;
  for (int taken = 0;;) {
    Sampler sampler(x, y, taken);
    const Pair in_pixel = sampler.next_pair();
    const Ray ray = shot.camera.ray(x, y, in_pixel, sampler.next_pair());
    Vec3 sample = Path(scene, sampler, cost.rays).radiance(ray);
    if (const float peak = largest(sample); peak > kMaxSample) sample *= kMaxSample / peak;
    sum += sample;
    const float tone = developed(luminance(sample));
    tone_sum += tone;
    tone_square_sum += tone * tone;
    ++taken;

    bool is_certain = false;
    if (taken >= kMinSamples && taken % kSamplesPerTest == 0) {
      const auto n = static_cast<float>(taken);
      const float variance = std::max(0.0f, tone_square_sum - tone_sum * tone_sum / n) / (n - 1);
      is_certain = variance <= n * kTolerance * kTolerance;
    }
    if (is_certain || taken == shot.max_samples) {
      cost.samples += static_cast<std::uint64_t>(taken);
      return sum / static_cast<float>(taken);
    }
  }
}

}  // namespace

TileCost render_tile(const Scene& scene, const Shot& shot, const Tile& tile,
                     Image& image) noexcept {
  const FpEnvironment same_for_all;
  TileCost cost;
  for (int y = tile.top; y < tile.bottom; ++y) {
    for (int x = tile.left; x < tile.right; ++x) {
      const Vec3 colour = render_pixel(scene, shot, x, y, cost);
      std::uint8_t* pixel = image.pixel(x, y);
      pixel[0] = to_byte(colour.x);
      pixel[1] = to_byte(colour.y);
      pixel[2] = to_byte(colour.z);
    }
  }
  return cost;
}

}  // namespace frames
