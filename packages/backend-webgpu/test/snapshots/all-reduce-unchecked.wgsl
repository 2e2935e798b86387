alias nts_ptr = u32;

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

/** A pointer is an address. */
fn nts_window_pointer(window: u32, peer: i32, offset: u32) -> nts_ptr {
  return nts_record[window + 2u + 2u * u32(peer)] + offset;
}

var<workgroup> nts_shared_pc: u32;
var<workgroup> nts_pending: atomic<u32>;

var<private> lsa_barrierSession_epoch: u32;
var<private> v_1: u32;
var<private> v_4: u32;

// lowest: the smallest value of the type, whose quotient by -1 does not fit.
fn nts_division_faults_i32(a: i32, b: i32, lowest: i32, site: u32) -> bool {
  let overflows = (b == -1i) & (a == lowest);
  nts_fault(site, select(select(0u, 2u, overflows), 1u, b == 0i));
  return overflows | (b == 0i);
}

fn nts_rem_i32(a: i32, b: i32, lowest: i32, site: u32) -> i32 {
  return a % select(b, 1i, nts_division_faults_i32(a, b, lowest, site));
}


fn nts_set_resources(a: u32, value: u32) {
  atomicStore(&nts_resources[(a - 0xc0000000u) >> 2u], value);
}

fn nts_store_resources_4(p: nts_ptr, value: u32, site: u32) {
  let a = p;
  nts_set_resources(a, value);
}

fn nts_get_heap(a: u32) -> u32 {
  var result: u32;
  result = nts_heap[a >> 2u];
  return result;
}

fn nts_load_heap_4(p: nts_ptr, site: u32) -> u32 {
  let a = p;
  return nts_get_heap(a);
}

fn nts_set_heap(a: u32, value: u32) {
  nts_heap[a >> 2u] = value;
}

fn nts_store_heap_4(p: nts_ptr, value: u32, site: u32) {
  let a = p;
  nts_set_heap(a, value);
}

fn nts_get_resources(a: u32) -> u32 {
  var result: u32;
  result = atomicLoad(&nts_resources[(a - 0xc0000000u) >> 2u]);
  return result;
}

fn nts_load_resources_4(p: nts_ptr, site: u32) -> u32 {
  let a = p;
  return nts_get_resources(a);
}

fn nts_mul_offset(a: u32, b: u32, most: u32) -> u32 {
  return select(a * b, 0xffffffffu, a > most);
}

fn nts_wide_offset(a: vec2u) -> u32 {
  return select(a.x, 0xffffffffu, a.y != 0u);
}

/** The index of a word that this thread keeps while its CTA waits. */
fn nts_kept(word: u32) -> u32 {
  return nts_record[nts_base + 8u] + (nts_cta * 4u + word) * 64u + nts_thread;
}

fn nts_state_5() {
  lsa_barrierSession_epoch = (lsa_barrierSession_epoch + 1u);
}

fn nts_state_6() {
  let nts_v0 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var saved: nts_ptr;
  if ((nts_thread == 0u)) {
    saved = nts_v0;
    nts_store_resources_4((saved + (bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u])) + (nts_cta % nts_record[nts_base + 4u])) * 4u), lsa_barrierSession_epoch, 2u);
  }
}

fn nts_state_2() {
  lsa_barrierSession_epoch = (lsa_barrierSession_epoch + 1u);
}

fn nts_state_3() {
  let nts_v1 = nts_window_pointer((nts_base + 50u), 0i, nts_wide_offset(vec2u(nts_record[nts_base + 56u], nts_record[nts_base + 57u])));
  let nts_v2 = nts_window_pointer((nts_base + 50u), 1i, nts_wide_offset(vec2u(nts_record[nts_base + 56u], nts_record[nts_base + 57u])));
  var first: u32;
  var stride: u32;
  var o: u32;
  var v_2: f32;
  var peer_1: i32;
  var v_3: f32;
  var peer_2: i32;
  first = (nts_thread + (64u * (bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 2u])) + ((nts_cta % nts_record[nts_base + 4u]) * 2u))));
  stride = ((64u * nts_record[nts_base + 4u]) * 2u);
  o = first;
  loop {
    if (nts_burn()) { nts_fault(3u, nts_out_of_fuel); break; }
    if (!(o < nts_record[nts_base + 58u])) { break; }
    v_2 = 0f;
    peer_1 = 0i;
    v_3 = bitcast<f32>(nts_load_heap_4((nts_v1 + o * 4u), 4u));
    v_2 = (v_2 + v_3);
    v_3 = bitcast<f32>(nts_load_heap_4((nts_v2 + o * 4u), 4u));
    v_2 = (v_2 + v_3);
    peer_1 = 2i;
    peer_2 = 0i;
    nts_store_heap_4((nts_v1 + o * 4u), bitcast<u32>(v_2), 5u);
    nts_store_heap_4((nts_v2 + o * 4u), bitcast<u32>(v_2), 5u);
    peer_2 = 2i;
    continuing {
      o = (o + stride);
    }
  }
}

fn nts_state_4() {
  var i_3: u32;
  var i_4: u32;
  var peer_3: i32;
  var inbox_2: nts_ptr;
  i_3 = nts_thread;
  loop {
    if (nts_burn()) { nts_fault(6u, nts_out_of_fuel); break; }
    if (!(i_3 < 1u)) { break; }
    i_4 = i_3;
    peer_3 = (bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + (nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_4)), 2i, i32(-2147483648), 7u) - bitcast<i32>(nts_record[(nts_base + 12u) + 2u])));
    inbox_2 = nts_window_pointer(((nts_base + 12u) + 32u), peer_3, nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
    nts_store_resources_4((inbox_2 + (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 2u]))) * 4u), (lsa_barrierSession_epoch + 1u), 8u);
    continuing {
      i_3 = (i_3 + 64u);
    }
  }
}

fn nts_keep_4() {
  nts_state[nts_kept(2u)] = lsa_barrierSession_epoch;
  nts_state[nts_kept(1u)] = v_4;
  nts_state[nts_kept(0u)] = nts_thread;
}

fn nts_test_4() -> bool {
  let nts_v3 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_5: u32;
  var member_1: i32;
  var inbox_3: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
  v_4 = nts_state[nts_kept(1u)];
  let nts_count = 1u;
  let nts_size = 64u;
  var nts_index = nts_state[nts_kept(0u)];
  while (nts_index < nts_count) {
    i_5 = nts_index;
    member_1 = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_5)), 2i, i32(-2147483648), 9u);
    inbox_3 = nts_v3;
    v_4 = nts_load_resources_4((inbox_3 + (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member_1)) * 4u), 10u);
    if (!((v_4 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) { break; }
    nts_index += nts_size;
  }
  nts_state[nts_kept(0u)] = nts_index;
  return nts_index >= nts_count;
}

fn nts_state_0() {
  let nts_v4 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var v: u32;
  v = nts_load_resources_4((nts_v4 + (bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u])) + (nts_cta % nts_record[nts_base + 4u])) * 4u), 11u);
  lsa_barrierSession_epoch = v;
}

fn nts_state_1() {
  var i: u32;
  var i_1: u32;
  var peer: i32;
  var inbox: nts_ptr;
  i = nts_thread;
  loop {
    if (nts_burn()) { nts_fault(12u, nts_out_of_fuel); break; }
    if (!(i < 1u)) { break; }
    i_1 = i;
    peer = (bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + (nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_1)), 2i, i32(-2147483648), 13u) - bitcast<i32>(nts_record[(nts_base + 12u) + 2u])));
    inbox = nts_window_pointer(((nts_base + 12u) + 32u), peer, nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
    nts_store_resources_4((inbox + (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 2u]))) * 4u), (lsa_barrierSession_epoch + 1u), 14u);
    continuing {
      i = (i + 64u);
    }
  }
}

fn nts_keep_1() {
  nts_state[nts_kept(2u)] = lsa_barrierSession_epoch;
  nts_state[nts_kept(3u)] = v_1;
  nts_state[nts_kept(1u)] = v_4;
  nts_state[nts_kept(0u)] = nts_thread;
}

fn nts_test_1() -> bool {
  let nts_v5 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_2: u32;
  var member: i32;
  var inbox_1: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
  v_1 = nts_state[nts_kept(3u)];
  let nts_count = 1u;
  let nts_size = 64u;
  var nts_index = nts_state[nts_kept(0u)];
  while (nts_index < nts_count) {
    i_2 = nts_index;
    member = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_2)), 2i, i32(-2147483648), 15u);
    inbox_1 = nts_v5;
    v_1 = nts_load_resources_4((inbox_1 + (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member)) * 4u), 16u);
    if (!((v_1 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) { break; }
    nts_index += nts_size;
  }
  nts_state[nts_kept(0u)] = nts_index;
  return nts_index >= nts_count;
}

fn nts_resume_2() {
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
  v_4 = nts_state[nts_kept(1u)];
}

fn nts_resume_5() {
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
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
    case 4u: {
      nts_resume_2();
    }
    case 10u: {
      nts_resume_5();
    }
    default: {}
  }
  if (pc == 10u) {
    nts_state_5();
    workgroupBarrier();
    storageBarrier();
    pc = 12u;
  }
  if (pc == 12u) {
    nts_state_6();
    workgroupBarrier();
    storageBarrier();
    pc = 14u;
  }
  if (pc == 14u) {
    pc = 2147483647u;
  }
  if (pc == 4u) {
    nts_state_2();
    workgroupBarrier();
    storageBarrier();
    pc = 6u;
  }
  if (pc == 6u) {
    nts_state_3();
    workgroupBarrier();
    storageBarrier();
    pc = 8u;
  }
  if (pc == 8u) {
    nts_state_4();
    nts_keep_4();
    pc = 9u;
  }
  if (pc == 0u) {
    nts_state_0();
    workgroupBarrier();
    storageBarrier();
    pc = 2u;
  }
  if (pc == 2u) {
    nts_state_1();
    nts_keep_1();
    pc = 3u;
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
    case 9u: {
      if (!nts_test_4()) { atomicOr(&nts_pending, 1u); }
    }
    case 3u: {
      if (!nts_test_1()) { atomicOr(&nts_pending, 1u); }
    }
    default: {}
  }
  nts_tell();
  workgroupBarrier();
  if ((lane == 0u) & (atomicLoad(&nts_pending) == 0u)) {
    switch pc {
      case 9u: { pc = 10u; }
      case 3u: { pc = 4u; }
      default: {}
    }
    nts_state[nts_record[nts_base + 7u] + nts_cta] = pc;
    atomicAdd(&nts_status[nts_launch_status(2u)], 1u);
  }
}
