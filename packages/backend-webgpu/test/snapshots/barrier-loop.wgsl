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
var<private> nts_fuel: u32 = 4194304u;

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

/** Counts a round of a loop that may never end. Returns true if there were too many. */
fn nts_burn() -> bool {
  let spent = nts_fuel == 0u;
  nts_fuel -= select(1u, 0u, spent);
  return spent;
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
var<workgroup> nts_choice: u32;
var<workgroup> nts_pending: atomic<u32>;
var<workgroup> nts_votes: atomic<u32>;

var<private> lsa_barrierSession_epoch: u32;
var<private> mine: nts_ptr;
var<private> next: nts_ptr;
var<private> sum: u32;
var<private> v_1: u32;
var<private> any_1: bool;
var<private> going: bool;
var<private> v_3: u32;
var<private> v_5: u32;
var<private> v_6: u32;
var<private> any_2: bool;

// lowest: the smallest value of the type, whose quotient by -1 does not fit.
fn nts_division_faults_i32(a: i32, b: i32, lowest: i32, site: u32) -> bool {
  let overflows = (b == -1i) & (a == lowest);
  nts_fault(site, select(select(0u, 2u, overflows), 1u, b == 0i));
  return overflows | (b == 0i);
}

fn nts_rem_i32(a: i32, b: i32, lowest: i32, site: u32) -> i32 {
  return a % select(b, 1i, nts_division_faults_i32(a, b, lowest, site));
}


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

fn nts_check_resources(p: nts_ptr, bytes: u32, site: u32) -> u32 {
  let low = nts_record[p.y];
  let high = nts_record[p.y + 1u];
  let outside = (p.x < low) | (p.x > high) | (high - p.x < bytes);
  let crooked = (p.x & (bytes - 1u)) != 0u;
  let what = select(nts_misaligned, nts_out_of_bounds, outside) | (bytes << 16u);
  nts_fault_access(site, select(0u, what, outside | crooked), p.x, low);
  return select(p.x, 0xc0000000u, outside | crooked);
}

fn nts_set_resources(a: u32, value: u32) {
  atomicStore(&nts_resources[(a - 0xc0000000u) >> 2u], value);
}

fn nts_store_resources_4(p: nts_ptr, value: u32, site: u32) {
  let a = nts_check_resources(p, 4u, site);
  nts_set_resources(a, value);
}

fn nts_get_resources(a: u32) -> u32 {
  var result: u32;
  result = atomicLoad(&nts_resources[(a - 0xc0000000u) >> 2u]);
  return result;
}

fn nts_load_resources_4(p: nts_ptr, site: u32) -> u32 {
  let a = nts_check_resources(p, 4u, site);
  return nts_get_resources(a);
}

fn nts_mul_offset(a: u32, b: u32, most: u32) -> u32 {
  return select(a * b, 0xffffffffu, a > most);
}

/** The index of a word that this thread keeps while its CTA waits. */
fn nts_kept(word: u32) -> u32 {
  return nts_record[nts_base + 8u] + (nts_cta * 5u + word) * 64u + nts_thread;
}

fn nts_state_10() {
  lsa_barrierSession_epoch = (lsa_barrierSession_epoch + 1u);
}

fn nts_state_11() {
  v_6 = nts_load_heap_4(next, 2u);
}

fn nts_bring_11() {
  if ((v_6 != 0u)) { atomicOr(&nts_votes, 1u); }
}

fn nts_take_11() {
  any_2 = atomicLoad(&nts_votes) != 0u;
}

fn nts_state_12() {
  going = any_2;
}

fn nts_state_7() {
  lsa_barrierSession_epoch = (lsa_barrierSession_epoch + 1u);
}

fn nts_state_8() {
  var v_4: u32;
  if ((nts_thread == 0u)) {
    v_4 = nts_load_heap_4(mine, 3u);
    nts_store_heap_4(mine, (v_4 - 1u), 4u);
  }
}

fn nts_state_9() {
  var i_3: u32;
  var i_4: u32;
  var peer_1: i32;
  var inbox_2: nts_ptr;
  i_3 = nts_thread;
  loop {
    if (nts_burn()) { nts_fault(5u, nts_out_of_fuel); break; }
    if (!(i_3 < 1u)) { break; }
    i_4 = i_3;
    peer_1 = (bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + (nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_4)), 2i, i32(-2147483648), 6u) - bitcast<i32>(nts_record[(nts_base + 12u) + 2u])));
    inbox_2 = nts_window_pointer(((nts_base + 12u) + 32u), peer_1, nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
    nts_store_resources_4(nts_offset(inbox_2, ((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 2u]))) * 4u), (lsa_barrierSession_epoch + 1u), 7u);
    continuing {
      i_3 = (i_3 + 64u);
    }
  }
}

fn nts_keep_9() {
  nts_state[nts_kept(3u)] = lsa_barrierSession_epoch;
  nts_state[nts_kept(1u)] = sum;
  nts_state[nts_kept(4u)] = v_3;
  nts_state[nts_kept(2u)] = v_5;
  nts_state[nts_kept(0u)] = nts_thread;
}

fn nts_test_9() -> bool {
  let nts_v0 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_5: u32;
  var member_1: i32;
  var inbox_3: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(3u)];
  v_5 = nts_state[nts_kept(2u)];
  let nts_count = 1u;
  let nts_size = 64u;
  var nts_index = nts_state[nts_kept(0u)];
  while (nts_index < nts_count) {
    i_5 = nts_index;
    member_1 = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_5)), 2i, i32(-2147483648), 8u);
    inbox_3 = nts_v0;
    v_5 = nts_load_resources_4(nts_offset(inbox_3, ((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + bitcast<u32>(member_1)) * 4u), 9u);
    if (!((v_5 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) { break; }
    nts_index += nts_size;
  }
  nts_state[nts_kept(0u)] = nts_index;
  return nts_index >= nts_count;
}

fn nts_state_0() {
  let nts_v1 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  let nts_v2 = nts_window_pointer((nts_base + 50u), bitcast<i32>(nts_record[(nts_base + 50u) + 0u]), 0u);
  let nts_v3 = nts_window_pointer((nts_base + 50u), nts_rem_i32((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i), 2i, i32(-2147483648), 11u), 0u);
  var v: u32;
  v = nts_load_resources_4(nts_offset(nts_v1, bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u])) * 4u), 10u);
  lsa_barrierSession_epoch = v;
  mine = nts_v2;
  next = nts_v3;
  sum = 0u;
  v_1 = nts_load_heap_4(next, 12u);
}

fn nts_bring_0() {
  if ((v_1 != 0u)) { atomicOr(&nts_votes, 1u); }
}

fn nts_take_0() {
  any_1 = atomicLoad(&nts_votes) != 0u;
}

fn nts_state_1() {
  going = any_1;
}

fn nts_branch_2() -> bool {
  return going;
}

fn nts_state_4() {
  let nts_v4 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var saved: nts_ptr;
  nts_store_heap_4(nts_offset(mine, (64u + nts_thread) * 4u), sum, 13u);
  if ((nts_thread == 0u)) {
    saved = nts_v4;
    nts_store_resources_4(nts_offset(saved, bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u])) * 4u), lsa_barrierSession_epoch, 14u);
  }
}

fn nts_state_3() {
  var v_2: u32;
  v_2 = nts_load_heap_4(nts_offset(next, nts_thread * 4u), 15u);
  sum = (sum + v_2);
}

fn nts_state_5() {
  var i: u32;
  var i_1: u32;
  var peer: i32;
  var inbox: nts_ptr;
  i = nts_thread;
  loop {
    if (nts_burn()) { nts_fault(16u, nts_out_of_fuel); break; }
    if (!(i < 1u)) { break; }
    i_1 = i;
    peer = (bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + (nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_1)), 2i, i32(-2147483648), 17u) - bitcast<i32>(nts_record[(nts_base + 12u) + 2u])));
    inbox = nts_window_pointer(((nts_base + 12u) + 32u), peer, nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
    nts_store_resources_4(nts_offset(inbox, ((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 2u]))) * 4u), (lsa_barrierSession_epoch + 1u), 18u);
    continuing {
      i = (i + 64u);
    }
  }
}

fn nts_keep_5() {
  nts_state[nts_kept(3u)] = lsa_barrierSession_epoch;
  nts_state[nts_kept(1u)] = sum;
  nts_state[nts_kept(4u)] = v_3;
  nts_state[nts_kept(2u)] = v_5;
  nts_state[nts_kept(0u)] = nts_thread;
}

fn nts_test_5() -> bool {
  let nts_v5 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_2: u32;
  var member: i32;
  var inbox_1: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(3u)];
  v_3 = nts_state[nts_kept(4u)];
  let nts_count = 1u;
  let nts_size = 64u;
  var nts_index = nts_state[nts_kept(0u)];
  while (nts_index < nts_count) {
    i_2 = nts_index;
    member = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_2)), 2i, i32(-2147483648), 19u);
    inbox_1 = nts_v5;
    v_3 = nts_load_resources_4(nts_offset(inbox_1, ((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + bitcast<u32>(member)) * 4u), 20u);
    if (!((v_3 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) { break; }
    nts_index += nts_size;
  }
  nts_state[nts_kept(0u)] = nts_index;
  return nts_index >= nts_count;
}

fn nts_resume_7() {
  let nts_v6 = nts_window_pointer((nts_base + 50u), bitcast<i32>(nts_record[(nts_base + 50u) + 0u]), 0u);
  let nts_v7 = nts_window_pointer((nts_base + 50u), nts_rem_i32((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i), 2i, i32(-2147483648), 11u), 0u);
  lsa_barrierSession_epoch = nts_state[nts_kept(3u)];
  sum = nts_state[nts_kept(1u)];
  v_3 = nts_state[nts_kept(4u)];
  v_5 = nts_state[nts_kept(2u)];
  mine = nts_v6;
  next = nts_v7;
}

fn nts_resume_10() {
  let nts_v8 = nts_window_pointer((nts_base + 50u), bitcast<i32>(nts_record[(nts_base + 50u) + 0u]), 0u);
  let nts_v9 = nts_window_pointer((nts_base + 50u), nts_rem_i32((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i), 2i, i32(-2147483648), 11u), 0u);
  lsa_barrierSession_epoch = nts_state[nts_kept(3u)];
  sum = nts_state[nts_kept(1u)];
  v_3 = nts_state[nts_kept(4u)];
  v_5 = nts_state[nts_kept(2u)];
  mine = nts_v8;
  next = nts_v9;
}

/** Runs each CTA that can continue, up to its next wait or its end. */
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
  switch pc {
    case 14u: {
      nts_resume_7();
    }
    case 20u: {
      nts_resume_10();
    }
    default: {}
  }
  if (pc == 20u) {
    nts_state_10();
    workgroupBarrier();
    storageBarrier();
    pc = 22u;
  }
  if (pc == 22u) {
    nts_state_11();
    if (lane == 0u) { atomicStore(&nts_votes, 0u); }
    workgroupBarrier();
    nts_bring_11();
    workgroupBarrier();
    nts_take_11();
    workgroupBarrier();
    pc = 24u;
  }
  if (pc == 24u) {
    nts_state_12();
    pc = 4u;
  }
  if (pc == 14u) {
    nts_state_7();
    workgroupBarrier();
    storageBarrier();
    pc = 16u;
  }
  if (pc == 16u) {
    nts_state_8();
    workgroupBarrier();
    storageBarrier();
    pc = 18u;
  }
  if (pc == 18u) {
    nts_state_9();
    nts_keep_9();
    pc = 19u;
  }
  if (pc == 0u) {
    nts_state_0();
    if (lane == 0u) { atomicStore(&nts_votes, 0u); }
    workgroupBarrier();
    nts_bring_0();
    workgroupBarrier();
    nts_take_0();
    workgroupBarrier();
    pc = 2u;
  }
  if (pc == 2u) {
    nts_state_1();
    pc = 4u;
  }
  if (pc == 4u) {
    if (lane == 0u) { nts_choice = select(0u, 1u, nts_branch_2()); }
    pc = select(8u, 6u, workgroupUniformLoad(&nts_choice) != 0u);
  }
  if (pc == 8u) {
    nts_state_4();
    workgroupBarrier();
    storageBarrier();
    pc = 12u;
  }
  if (pc == 12u) {
    pc = 2147483647u;
  }
  if (pc == 6u) {
    nts_state_3();
    workgroupBarrier();
    storageBarrier();
    pc = 10u;
  }
  if (pc == 10u) {
    nts_state_5();
    nts_keep_5();
    pc = 11u;
  }
  nts_tell();
  if (lane == 0u) {
    nts_state[nts_record[nts_base + 7u] + nts_cta] = pc & 0x7fffffffu;
    atomicAdd(&nts_status[status + 1u], 1u);
    if (pc == 2147483647u) { atomicSub(&nts_status[status + 0u], 1u); }
    if (pc >= 2147483648u) { atomicAdd(&nts_status[status + 3u], 1u); }
    let polls = atomicLoad(&nts_status[status + 12u]);
    atomicStore(&nts_status[status + 13u], polls);
  }
}

/** Tests the wait of every parked CTA. Writes only state, so no CTA can see a flag before the data behind it. */
@compute @workgroup_size(64)
fn poll(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let here = nts_enter(group);
  nts_thread = lane;
  if (lane == 0u) {
    nts_shared_pc = 2147483647u;
    if (here) { nts_shared_pc = nts_state[nts_record[nts_base + 7u] + nts_cta]; }
    if (here & (nts_cta == 0u)) {
      atomicAdd(&nts_status[nts_launch_status(12u)], 1u);
    }
    atomicStore(&nts_pending, 0u);
  }
  var pc = workgroupUniformLoad(&nts_shared_pc);
  if (((pc & 1u) == 0u) | (pc == 2147483647u)) { return; }
  switch pc {
    case 19u: {
      if (!nts_test_9()) { atomicOr(&nts_pending, 1u); }
    }
    case 11u: {
      if (!nts_test_5()) { atomicOr(&nts_pending, 1u); }
    }
    default: {}
  }
  nts_tell();
  workgroupBarrier();
  if ((lane == 0u) & (atomicLoad(&nts_pending) == 0u)) {
    switch pc {
      case 19u: { pc = 20u; }
      case 11u: { pc = 14u; }
      default: {}
    }
    nts_state[nts_record[nts_base + 7u] + nts_cta] = pc;
    atomicAdd(&nts_status[nts_launch_status(2u)], 1u);
  }
}
