alias nts_ptr = vec2u;

@group(0) @binding(0) var<storage, read> nts_record: array<u32>;
@group(0) @binding(1) var<storage, read_write> nts_state: array<u32>;
@group(0) @binding(2) var<storage, read_write> nts_status: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> nts_heap: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> nts_resources: array<atomic<u32>>;

// The launch, the CTA, the thread.
var<private> nts_base: u32;
var<private> nts_cta: u32;
var<private> nts_thread: u32;
var<workgroup> nts_shared: array<atomic<u32>, 8>;
const nts_locks = 0u;
var<workgroup> nts_shared_lock: atomic<u32>;

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

var<workgroup> nts_shared_pc: u32;

fn nts_clz_u64(a: vec2u) -> vec2u {
  return vec2u(select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u), 0u);
}

fn nts_shl_u64(a: vec2u, count: u32) -> vec2u {
  let n = count & 31u;
  if ((count & 32u) != 0u) {
    return vec2u(0u, a.x << n);
  }
  // In two steps, because a shift by 32 has no effect.
  return vec2u(a.x << n, (a.y << n) | ((a.x >> 1u) >> (31u - n)));
}

fn nts_float_u64(a: vec2u) -> f32 {
  if (all(a == vec2u(0u))) {
    return 0f;
  }
  let zeros = nts_clz_u64(a).x;
  let m = nts_shl_u64(a, zeros);
  let kept = m.y >> 8u;
  let half = (m.y & 0x80u) != 0u;
  let above = ((m.y & 0x7fu) | m.x | (kept & 1u)) != 0u;
  // The top bit of kept adds 1 to the exponent; so does a carry out of the rounding.
  return bitcast<f32>(((189u - zeros) << 23u) + kept + select(0u, 1u, half & above));
}

// x, hidden from compilers, which take 0 * x for 0 and x + 0 for x, and contract and reassociate.
fn nts_hidden_f32(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ nts_zero());
}

fn nts_add_f32(a: f32, b: f32) -> f32 {
  // Not the operation that hides operands: the two would cancel out, and (x + 1) - 1 would become x.
  return bitcast<f32>(bitcast<u32>(nts_hidden_f32(a) + nts_hidden_f32(b)) | nts_zero());
}

fn nts_less_u64(a: vec2u, b: vec2u) -> bool {
  return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn nts_max_u64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, nts_less_u64(a, b));
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

fn nts_get_heap(a: u32) -> u32 {
  var result: u32;
  result = atomicLoad(&nts_heap[a >> 2u]);
  return result;
}

fn nts_exchange_heap(a: u32, old: u32, new_: u32) -> vec2u {
  var result: vec2u;
  let r = atomicCompareExchangeWeak(&nts_heap[a >> 2u], old, new_); result = vec2u(r.old_value, select(0u, 1u, r.exchanged));
  return result;
}

fn nts_set_heap(a: u32, value: u32) {
  atomicStore(&nts_heap[a >> 2u], value);
}

fn nts_check_shared(p: nts_ptr, bytes: u32, site: u32) -> u32 {
  var table = array<vec2u, 2>(vec2u(0u, 0u), vec2u(16u, 32u));
  let low = table[p.y].x;
  let high = table[p.y].y;
  let outside = (p.x < low) | (p.x > high) | (high - p.x < bytes);
  let crooked = (p.x & (bytes - 1u)) != 0u;
  let what = select(nts_misaligned, nts_out_of_bounds, outside) | (bytes << 16u) | 256u;
  nts_fault_access(site, select(0u, what, outside | crooked), p.x, low);
  return select(p.x, 0u, outside | crooked);
}

fn nts_get_shared(a: u32) -> u32 {
  var result: u32;
  result = atomicLoad(&nts_shared[a >> 2u]);
  return result;
}

fn nts_load_shared_4(p: nts_ptr, site: u32) -> u32 {
  let a = nts_check_shared(p, 4u, site);
  return nts_get_shared(a);
}

fn nts_blend_heap(a: u32, value: u32, mask: u32) {
  atomicXor(&nts_heap[a >> 2u], (atomicLoad(&nts_heap[a >> 2u]) ^ value) & mask);
}

fn nts_store_heap_1(p: nts_ptr, value: u32, site: u32) {
  let a = nts_check_heap(p, 1u, site);
  let shift = (a & 3u) * 8u;
  nts_blend_heap(a, value << shift, 0xffu << shift);
}

fn nts_atomic_heap_add_u32(p: nts_ptr, value: u32, site: u32) -> u32 {
  let a = nts_check_heap(p, 4u, site);
  return atomicAdd(&nts_heap[a >> 2u], value);
}

fn nts_atomic_heap_min_i32(p: nts_ptr, value: i32, site: u32) -> i32 {
  let a = nts_check_heap(p, 4u, site);
  var old = nts_get_heap(a);
  for (var n = 0u; n < 0x100000u; n++) {
    let bits = old;
    let current = bitcast<i32>(bits);
    let next = (bitcast<u32>(min(current, value)));
    let r = nts_exchange_heap(a, old, (old & ~0xffffffffu) | (next & 0xffffffffu));
    if (r.y != 0u) { return current; }
    old = r.x;
  }
  nts_fault(site, nts_out_of_fuel);
  return i32();
}

fn nts_atomic_heap_add_f32(p: nts_ptr, value: f32, site: u32) -> f32 {
  let a = nts_check_heap(p, 4u, site);
  var old = nts_get_heap(a);
  for (var n = 0u; n < 0x100000u; n++) {
    let bits = old;
    let current = bitcast<f32>(bits);
    let next = (bitcast<u32>(nts_add_f32(current, value)));
    let r = nts_exchange_heap(a, old, (old & ~0xffffffffu) | (next & 0xffffffffu));
    if (r.y != 0u) { return current; }
    old = r.x;
  }
  nts_fault(site, nts_out_of_fuel);
  return f32();
}

fn nts_atomic_heap_max_u64(p: nts_ptr, value: vec2u, site: u32) -> vec2u {
  let a = nts_check_heap(p, 8u, site);
  for (var n = 0u; n < 0x100000u; n++) {
    if (atomicExchange(&nts_status[nts_locks + ((a >> 3u) & 31u)], 1u) == 0u) {
      let bits = vec2u(nts_get_heap(a), nts_get_heap(a + 4u));
      let current = bits;
      var next = nts_max_u64(current, value);
      nts_set_heap(a, next.x);
      nts_set_heap(a + 4u, next.y);
      atomicStore(&nts_status[nts_locks + ((a >> 3u) & 31u)], 0u);
      return current;
    }
  }
  nts_fault(site, nts_out_of_fuel);
  return vec2u();
}

fn nts_atomic_heap_cas_u32(p: nts_ptr, expected: u32, value: u32, site: u32) -> u32 {
  let a = nts_check_heap(p, 4u, site);
  var old = nts_get_heap(a);
  for (var n = 0u; n < 0x100000u; n++) {
    let bits = old;
    let current = bits;
    if (bits != expected) { return current; }
    let next = (value);
    let r = nts_exchange_heap(a, old, (old & ~0xffffffffu) | (next & 0xffffffffu));
    if (r.y != 0u) { return current; }
    old = r.x;
  }
  nts_fault(site, nts_out_of_fuel);
  return u32();
}

fn nts_atomic_shared_or_u32(p: nts_ptr, value: u32, site: u32) -> u32 {
  let a = nts_check_shared(p, 4u, site);
  return atomicOr(&nts_shared[a >> 2u], value);
}

fn nts_state_0() {
  let nts_v0 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 0u);
  let nts_v1 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 16u);
  var before: u32;
  _ = nts_atomic_heap_add_u32(nts_v0, nts_thread, 0u);
  _ = nts_atomic_heap_min_i32(nts_offset(nts_v0, bitcast<u32>(1i) * 4u), bitcast<i32>(nts_thread), 1u);
  _ = nts_atomic_heap_add_f32(nts_offset(nts_v0, bitcast<u32>(2i) * 4u), nts_float_u64(vec2u(nts_thread, 0u)), 2u);
  _ = nts_atomic_heap_max_u64(nts_v1, vec2u(nts_thread, 0u), 3u);
  before = nts_atomic_heap_cas_u32(nts_offset(nts_v0, bitcast<u32>(8i) * 4u), 0u, nts_thread, 4u);
  _ = nts_atomic_shared_or_u32(nts_offset(vec2u(16u, 1u), nts_rem_u32(nts_thread, 4u, 6u) * 4u), (1u << (nts_rem_u32(before, 32u, 7u) & 31u)), 5u);
}

fn nts_state_1() {
  let nts_v2 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 64u);
  var v: u32;
  v = nts_load_shared_4(nts_offset(vec2u(16u, 1u), nts_rem_u32(nts_thread, 4u, 9u) * 4u), 8u);
  nts_store_heap_1(nts_offset(nts_v2, nts_thread * 1u), (v & 255u), 10u);
}

/** Runs each CTA to its end. */
@compute @workgroup_size(64)
fn step(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let here = nts_enter(group);
  nts_thread = lane;
  let status = nts_launch_status(0u);
  if (lane == 0u) {
    nts_shared_pc = 2147483647u;
    // A launch with a fault goes no further.
    if (here & (atomicLoad(&nts_status[status + 5u]) == 0u)) { nts_shared_pc = nts_state[nts_record[nts_base + 7u] + nts_cta]; }
  }
  var pc = workgroupUniformLoad(&nts_shared_pc);
  if ((pc & 1u) != 0u) { return; }
  if (pc == 0u) {
    nts_state_0();
    workgroupBarrier();
    storageBarrier();
    pc = 2u;
  }
  if (pc == 2u) {
    nts_state_1();
    pc = 2147483647u;
  }
  nts_tell();
  if (lane == 0u) {
    nts_state[nts_record[nts_base + 7u] + nts_cta] = pc & 0x7fffffffu;
    atomicAdd(&nts_status[status + 1u], 1u);
    if (pc == 2147483647u) { atomicSub(&nts_status[status + 0u], 1u); }
    if (pc >= 2147483648u) { atomicAdd(&nts_status[status + 3u], 1u); }
  }
}
