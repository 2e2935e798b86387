alias nts_ptr = vec2u;

@group(0) @binding(0) var<storage, read> nts_record: array<u32>;
@group(0) @binding(1) var<storage, read_write> nts_state: array<u32>;
@group(0) @binding(2) var<storage, read_write> nts_status: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> nts_heap: array<u32>;
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

var<workgroup> nts_shared_pc: u32;
var<workgroup> nts_votes: atomic<u32>;
var<workgroup> nts_exchanged: array<u32, 64>;

var<private> at: nts_ptr;
var<private> v_1: i32;
var<private> distance_1: i32;
var<private> delta: u32;
var<private> shflDown: i32;
var<private> shfl: i32;
var<private> any_1: bool;

fn nts_get_heap(a: u32) -> u32 {
  var result: u32;
  result = nts_heap[a >> 2u];
  return result;
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

fn nts_load_heap_4(p: nts_ptr, site: u32) -> u32 {
  let a = nts_check_heap(p, 4u, site);
  return nts_get_heap(a);
}

fn nts_set_heap(a: u32, value: u32) {
  nts_heap[a >> 2u] = value;
}

fn nts_store_heap_4(p: nts_ptr, value: u32, site: u32) {
  let a = nts_check_heap(p, 4u, site);
  nts_set_heap(a, value);
}

fn nts_state_0() {
  let nts_v0 = nts_window_pointer((nts_base + 12u), bitcast<i32>(nts_record[(nts_base + 12u) + 0u]), 0u);
  var v: i32;
  at = nts_v0;
  v = bitcast<i32>(nts_load_heap_4(nts_offset(at, nts_thread * 4u), 0u));
  v_1 = v;
  distance_1 = 16i;
  delta = 16u;
}

fn nts_bring_0() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_0() {
  let nts_source = select(nts_thread + delta, nts_thread, ((nts_thread & 31u) + min(delta, 64u) >= 32u) | (nts_thread + min(delta, 64u) >= 64u));
  shflDown = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_state_1() {
  v_1 = (v_1 + shflDown);
  delta = 8u;
}

fn nts_bring_1() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_1() {
  let nts_source = select(nts_thread + delta, nts_thread, ((nts_thread & 31u) + min(delta, 64u) >= 32u) | (nts_thread + min(delta, 64u) >= 64u));
  shflDown = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_state_2() {
  v_1 = (v_1 + shflDown);
  delta = 4u;
}

fn nts_bring_2() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_2() {
  let nts_source = select(nts_thread + delta, nts_thread, ((nts_thread & 31u) + min(delta, 64u) >= 32u) | (nts_thread + min(delta, 64u) >= 64u));
  shflDown = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_state_3() {
  v_1 = (v_1 + shflDown);
  delta = 2u;
}

fn nts_bring_3() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_3() {
  let nts_source = select(nts_thread + delta, nts_thread, ((nts_thread & 31u) + min(delta, 64u) >= 32u) | (nts_thread + min(delta, 64u) >= 64u));
  shflDown = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_state_4() {
  v_1 = (v_1 + shflDown);
  delta = 1u;
}

fn nts_bring_4() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_4() {
  let nts_source = select(nts_thread + delta, nts_thread, ((nts_thread & 31u) + min(delta, 64u) >= 32u) | (nts_thread + min(delta, 64u) >= 64u));
  shflDown = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_state_5() {
  v_1 = (v_1 + shflDown);
  distance_1 = 0i;
}

fn nts_bring_5() {
  nts_exchanged[nts_thread * 1u + 0u] = bitcast<u32>(v_1);
}

fn nts_take_5() {
  let nts_v1 = (nts_thread & ~31u) + (0u & 31u);
  let nts_source = select(nts_thread, nts_v1, nts_v1 < 64u);
  shfl = bitcast<i32>(nts_exchanged[nts_source * 1u + 0u]);
}

fn nts_bring_6() {
  if ((shfl > 100i)) { atomicOr(&nts_votes, 1u); }
}

fn nts_take_6() {
  any_1 = atomicLoad(&nts_votes) != 0u;
}

fn nts_state_7() {
  nts_store_heap_4(nts_offset(at, nts_thread * 4u), bitcast<u32>(select((0i - shfl), shfl, any_1)), 1u);
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
    nts_bring_0();
    workgroupBarrier();
    nts_take_0();
    workgroupBarrier();
    pc = 2u;
  }
  if (pc == 2u) {
    nts_state_1();
    nts_bring_1();
    workgroupBarrier();
    nts_take_1();
    workgroupBarrier();
    pc = 4u;
  }
  if (pc == 4u) {
    nts_state_2();
    nts_bring_2();
    workgroupBarrier();
    nts_take_2();
    workgroupBarrier();
    pc = 6u;
  }
  if (pc == 6u) {
    nts_state_3();
    nts_bring_3();
    workgroupBarrier();
    nts_take_3();
    workgroupBarrier();
    pc = 8u;
  }
  if (pc == 8u) {
    nts_state_4();
    nts_bring_4();
    workgroupBarrier();
    nts_take_4();
    workgroupBarrier();
    pc = 10u;
  }
  if (pc == 10u) {
    nts_state_5();
    nts_bring_5();
    workgroupBarrier();
    nts_take_5();
    workgroupBarrier();
    pc = 12u;
  }
  if (pc == 12u) {
    if (lane == 0u) { atomicStore(&nts_votes, 0u); }
    workgroupBarrier();
    nts_bring_6();
    workgroupBarrier();
    nts_take_6();
    workgroupBarrier();
    pc = 14u;
  }
  if (pc == 14u) {
    nts_state_7();
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
