alias nts_ptr = vec2u;

@group(0) @binding(0) var<storage, read> nts_record: array<u32>;
@group(0) @binding(1) var<storage, read_write> nts_state: array<u32>;
@group(0) @binding(2) var<storage, read_write> nts_status: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> nts_heap: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> nts_resources: array<atomic<u32>>;

// The launch, the CTA, the thread.
var<private> nts_base: u32;
var<private> nts_cta: u32;
var<private> nts_thread: u32;

const nts_no_lane = 4u;
const nts_assert_failed = 5u;
const nts_out_of_bounds = 6u;
const nts_misaligned = 7u;
const nts_out_of_fuel = 8u;

/** Finds the launch and the CTA of this workgroup. Returns false if there is no such CTA. */
fn nts_enter(group: vec3u) -> bool {
  nts_base = group.y * 64u;
  nts_cta = group.x + group.z * 32768u;
  return nts_cta < nts_record[nts_base + 3u];
}

/** 0, in a form that the compiler cannot predict. */
fn nts_zero() -> u32 {
  return nts_record[nts_base + 0u];
}

fn nts_launch_status(word: u32) -> u32 {
  return nts_record[nts_base + 10u] + word;
}

/** The first fault of this invocation: its kind, space and bytes, its site, thread and address, and where its memory begins. */
var<private> nts_fault_what: u32;
var<private> nts_fault_site: u32;
var<private> nts_fault_thread: u32;
var<private> nts_fault_address: u32;
var<private> nts_fault_low: u32;

/** Records the first fault; kind 0 means none. The thread continues, but the launch fails. */
fn nts_fault(site: u32, kind: u32) {
  nts_fault_access(site, kind, 0u, 0u);
}

fn nts_fault_access(site: u32, what: u32, address: u32, low: u32) {
  let first = (nts_fault_what == 0u) & (what != 0u);
  nts_fault_what = select(nts_fault_what, what, first);
  nts_fault_site = select(nts_fault_site, site, first);
  nts_fault_thread = select(nts_fault_thread, nts_thread, first);
  nts_fault_address = select(nts_fault_address, address, first);
  nts_fault_low = select(nts_fault_low, low, first);
}

/** Reports the fault to the host, if it is the first one of the launch. */
fn nts_tell() {
  let at = nts_launch_status(0u);
  if (nts_fault_what != 0u) {
    if (atomicExchange(&nts_status[at + 5u], 1u) == 0u) {
      atomicStore(&nts_status[at + 6u], nts_fault_what);
      atomicStore(&nts_status[at + 7u], nts_fault_site);
      atomicStore(&nts_status[at + 8u], nts_cta);
      atomicStore(&nts_status[at + 9u], nts_fault_thread);
      atomicStore(&nts_status[at + 10u], nts_fault_address);
      atomicStore(&nts_status[at + 11u], nts_fault_low);
    }
  }
}

/** A pointer is an address and the index of its bounds, in the launch record or in the table of arrays. */
fn nts_window_pointer(window: u32, peer: i32, offset: u32) -> nts_ptr {
  let known = bitcast<u32>(peer) < 2u;
  let bounds = select(nts_base + 1u, window + 2u + 2u * u32(peer), known);
  return vec2u(nts_record[bounds] + offset, bounds);
}

fn nts_offset(p: nts_ptr, bytes: u32) -> nts_ptr {
  return vec2u(p.x + bytes, p.y);
}

fn nts_decode_f16(bits: u32) -> f32 {
  let low = bits & 0x7fffu;
  var magnitude = (low << 13u) + 0x38000000u;
  if (low >= 0x7c00u) {
    magnitude = 0x7f800000u | ((low & 0x3ffu) << 13u);
  }
  if (low < 0x400u) {
    magnitude = bitcast<u32>(f32(low) * 5.9604644775390625e-8f);
  }
  return bitcast<f32>(magnitude | ((bits & 0x8000u) << 16u));
}

// Bits of a finite f32 without its sign, rounded to nearest even to a type with 23 - drop bits of fraction whose smallest
// normal value has the biased f32 exponent lowest. The exponent of the result is not bounded.
fn nts_round_magnitude(bits: u32, drop: u32, lowest: u32) -> u32 {
  let exponent = bits >> 23u;
  if (exponent >= lowest) {
    return ((bits + (1u << (drop - 1u)) - 1u + ((bits >> drop) & 1u)) >> drop) << drop;
  }
  // Subnormal there: whole multiples of its smallest value.
  let shift = drop + lowest - exponent;
  if (shift > 24u) {
    return 0u;
  }
  let m = (bits & 0x7fffffu) | 0x800000u;
  let multiple = (m + (1u << (shift - 1u)) - 1u + ((m >> shift) & 1u)) >> shift;
  return bitcast<u32>(f32(multiple) * bitcast<f32>((lowest + drop - 23u) << 23u));
}

fn nts_round_f16(x: f32) -> f32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {
    return x;
  }
  let rounded = nts_round_magnitude(magnitude, 13u, 113u);
  // From 65536 on infinite.
  return bitcast<f32>((bitcast<u32>(x) & 0x80000000u) | select(rounded, 0x7f800000u, rounded >= 0x47800000u));
}

// x, hidden from compilers, which take 0 * x for 0 and x + 0 for x, and contract and reassociate.
fn nts_hidden_f32(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ nts_zero());
}

fn nts_mul_f32(a: f32, b: f32) -> f32 {
  // Not the operation that hides operands: the two would cancel out, and (x + 1) - 1 would become x.
  return bitcast<f32>(bitcast<u32>(nts_hidden_f32(a) * nts_hidden_f32(b)) | nts_zero());
}

fn nts_add_f32(a: f32, b: f32) -> f32 {
  // Not the operation that hides operands: the two would cancel out, and (x + 1) - 1 would become x.
  return bitcast<f32>(bitcast<u32>(nts_hidden_f32(a) + nts_hidden_f32(b)) | nts_zero());
}

fn nts_encode_f16(x: f32) -> u32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  if (magnitude > 0x7f800000u) {
    return 0x7fffu;
  }
  if (magnitude == 0x7f800000u) {
    return sign | 0x7c00u;
  }
  if (magnitude < 0x38800000u) {
    return sign | u32(abs(x) * 16777216f);
  }
  return sign | ((magnitude - 0x38000000u) >> 13u);
}

fn nts_rem_u32(a: u32, b: u32, site: u32) -> u32 {
  nts_fault(site, select(0u, 1u, b == 0u));
  return a % max(b, 1u);
}


fn nts_check_heap(p: nts_ptr, bytes: u32, site: u32) -> u32 {
  let low = nts_record[p.y];
  let high = nts_record[p.y + 1u];
  let outside = (p.x < low) | (p.x > high) | (high - p.x < bytes);
  let crooked = (p.x & (bytes - 1u)) != 0u;
  let what = select(nts_misaligned, nts_out_of_bounds, outside) | (bytes << 16u);
  nts_fault_access(site, select(0u, what, outside | crooked), p.x, low);
  return select(p.x, 0u, outside | crooked);
}

fn nts_load_heap_16(p: nts_ptr, site: u32) -> vec4u {
  let a = nts_check_heap(p, 16u, site);
  return nts_heap[a >> 4u];
}

fn nts_store_heap_16(p: nts_ptr, value: vec4u, site: u32) {
  let a = nts_check_heap(p, 16u, site);
  nts_heap[a >> 4u] = value;
}

fn nts_unpack_f16x8(w: vec4u) -> array<f32, 8> {
  return array<f32, 8>(nts_decode_f16(((w[0] >> 0u) & 0xffffu)), nts_decode_f16(((w[0] >> 16u) & 0xffffu)), nts_decode_f16(((w[1] >> 0u) & 0xffffu)), nts_decode_f16(((w[1] >> 16u) & 0xffffu)), nts_decode_f16(((w[2] >> 0u) & 0xffffu)), nts_decode_f16(((w[2] >> 16u) & 0xffffu)), nts_decode_f16(((w[3] >> 0u) & 0xffffu)), nts_decode_f16(((w[3] >> 16u) & 0xffffu)));
}

fn nts_splat_f16x8(a: f32) -> array<f32, 8> {
  return array<f32, 8>(a, a, a, a, a, a, a, a);
}

fn nts_mul_f16x8(a: array<f32, 8>, b: array<f32, 8>, site: u32) -> array<f32, 8> {
  return array<f32, 8>(nts_round_f16(nts_mul_f32(a[0], b[0])), nts_round_f16(nts_mul_f32(a[1], b[1])), nts_round_f16(nts_mul_f32(a[2], b[2])), nts_round_f16(nts_mul_f32(a[3], b[3])), nts_round_f16(nts_mul_f32(a[4], b[4])), nts_round_f16(nts_mul_f32(a[5], b[5])), nts_round_f16(nts_mul_f32(a[6], b[6])), nts_round_f16(nts_mul_f32(a[7], b[7])));
}

fn nts_add_f16x8(a: array<f32, 8>, b: array<f32, 8>, site: u32) -> array<f32, 8> {
  return array<f32, 8>(nts_round_f16(nts_add_f32(a[0], b[0])), nts_round_f16(nts_add_f32(a[1], b[1])), nts_round_f16(nts_add_f32(a[2], b[2])), nts_round_f16(nts_add_f32(a[3], b[3])), nts_round_f16(nts_add_f32(a[4], b[4])), nts_round_f16(nts_add_f32(a[5], b[5])), nts_round_f16(nts_add_f32(a[6], b[6])), nts_round_f16(nts_add_f32(a[7], b[7])));
}

fn nts_pack_f16x8(v: array<f32, 8>) -> vec4u {
  return vec4u((nts_encode_f16(v[0])) | ((nts_encode_f16(v[1])) << 16u), (nts_encode_f16(v[2])) | ((nts_encode_f16(v[3])) << 16u), (nts_encode_f16(v[4])) | ((nts_encode_f16(v[5])) << 16u), (nts_encode_f16(v[6])) | ((nts_encode_f16(v[7])) << 16u));
}

fn nts_unpack_f32x4(w: vec4u) -> array<f32, 4> {
  return array<f32, 4>(bitcast<f32>(w[0]), bitcast<f32>(w[1]), bitcast<f32>(w[2]), bitcast<f32>(w[3]));
}

fn nts_lane_f16x8(v: array<f32, 8>, i: u32, site: u32) -> f32 {
  nts_fault(site, select(0u, nts_no_lane, i >= 8u));
  var elements = v;
  return elements[min(i, 7u)];
}

fn nts_with_lane_f32x4(v: array<f32, 4>, i: u32, x: f32, site: u32) -> array<f32, 4> {
  nts_fault(site, select(0u, nts_no_lane, i >= 4u));
  var elements = v;
  elements[min(i, 3u)] = x;
  return elements;
}

fn nts_pack_f32x4(v: array<f32, 4>) -> vec4u {
  return vec4u((bitcast<u32>(v[0])), (bitcast<u32>(v[1])), (bitcast<u32>(v[2])), (bitcast<u32>(v[3])));
}

fn nts_state_0() {
  let nts_v0 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 0u);
  let nts_v1 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 4096u);
  var eight: nts_ptr;
  var v: array<f32, 8>;
  var four: nts_ptr;
  var v_1: array<f32, 4>;
  eight = nts_v0;
  v = nts_unpack_f16x8(nts_load_heap_16(nts_offset(eight, nts_thread * 16u), 0u));
  nts_store_heap_16(nts_offset(eight, nts_thread * 16u), nts_pack_f16x8(nts_add_f16x8(nts_mul_f16x8(v, nts_splat_f16x8(nts_round_f16(bitcast<f32>(nts_record[nts_base + 18u]))), 0u), v, 0u)), 1u);
  four = nts_v1;
  v_1 = nts_unpack_f32x4(nts_load_heap_16(nts_offset(four, nts_thread * 16u), 2u));
  nts_store_heap_16(nts_offset(four, nts_thread * 16u), nts_pack_f32x4(nts_with_lane_f32x4(v_1, 1u, nts_add_f32(v_1[3], nts_lane_f16x8(v, nts_rem_u32(nts_thread, 8u, 4u), 5u)), 6u)), 3u);
}

/** Runs each CTA to its end. */
@compute @workgroup_size(64)
fn step(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (!nts_enter(group)) { return; }
  nts_thread = lane;
  nts_state_0();
  nts_tell();
  if (lane == 0u) {
    atomicAdd(&nts_status[nts_launch_status(1u)], 1u);
    atomicSub(&nts_status[nts_launch_status(0u)], 1u);
  }
}
