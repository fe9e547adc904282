// demo::places for grid3d cta=any extent=axes align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__places(
    device uint* out [[buffer(0)]],
    constant uint& extent_x [[buffer(1)]],
    constant uint& extent_y [[buffer(2)]],
    constant uint& extent_z [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]],
    uint3 grid_dim [[threadgroups_per_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
    if (((((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) || (((ulong(cta_id.y) * ulong(cta_dim.y)) + ulong(thread_id.y)) >= ulong(extent_y))) || (((ulong(cta_id.z) * ulong(cta_dim.z)) + ulong(thread_id.z)) >= ulong(extent_z))) {
        return;
    }
    const uint x = (cta_id.x * cta_dim.x) + thread_id.x;
    const uint y = (cta_id.y * cta_dim.y) + thread_id.y;
    const uint z = (cta_id.z * cta_dim.z) + thread_id.z;
    const uint v5 = thread_index % 32u;
    const uint v6 = thread_index / 32u;
    const uint v7 = (((cta_dim.x * cta_dim.y) * cta_dim.z) + 31u) / 32u;
    const uint v10 = x + y;
    const uint v11 = z + grid_dim.x;
    const uint v12 = cta_dim.y + v5;
    const uint v13 = v6 + v7;
    const uint v14 = cta_id.z + thread_id.x;
    const uint v15 = v10 ^ v11;
    const uint v16 = v12 ^ v13;
    const uint v17 = v14 ^ v15;
    const uint v18 = v16 ^ v17;
    out[x] = v18;
}
