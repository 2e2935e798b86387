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
var<workgroup> nts_stuck: array<atomic<u32>, 32>;
var<workgroup> nts_first: atomic<u32>;

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


fn nts_get_resources(a: u32) -> u32 {
  var result: u32;
  result = atomicLoad(&nts_resources[(a - 0xc0000000u) >> 2u]);
  return result;
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

fn nts_load_resources_4(p: nts_ptr, site: u32) -> u32 {
  let a = nts_check_resources(p, 4u, site);
  return nts_get_resources(a);
}

fn nts_mul_offset(a: u32, b: u32, most: u32) -> u32 {
  return select(a * b, 0xffffffffu, a > most);
}

/** The index of a word that this thread keeps while its CTA waits. */
fn nts_kept(word: u32) -> u32 {
  return nts_record[nts_base + 8u] + (nts_cta * 4u + word) * 64u + nts_thread;
}

/** The words that this thread has found so far. */
var<private> nts_noting: bool;
var<private> nts_open: array<u32, 32>;
var<private> nts_word_count: u32;
var<private> nts_words: array<u32, 20>;
var<private> nts_need_count: u32;
var<private> nts_needs: array<u32, 6>;

fn nts_note_word(number: u32, address: u32, low: u32, first: u32, second: u32) {
  if (nts_noting & (nts_word_count < 4u)) {
    let at = 5u * nts_word_count;
    nts_words[at] = number;
    nts_words[at + 1u] = address;
    nts_words[at + 2u] = low;
    nts_words[at + 3u] = first;
    nts_words[at + 4u] = second;
    nts_word_count += 1u;
  }
}

fn nts_note_need(number: u32, first: u32, second: u32) {
  if (nts_noting & (nts_need_count < 2u)) {
    let at = 3u * nts_need_count;
    nts_needs[at] = number;
    nts_needs[at + 1u] = first;
    nts_needs[at + 2u] = second;
    nts_need_count += 1u;
  }
}

fn nts_explain_1() -> bool {
  let nts_v0 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_2: u32;
  var member: i32;
  var inbox_1: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
  v_1 = nts_state[nts_kept(3u)];
  var nts_held = true;
  for (var nts_index = 0u; nts_index < 1u; nts_index++) {
    i_2 = nts_index;
    if (nts_noting) { nts_word_count = 0u; }
    member = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_2)), 2i, i32(-2147483648), 2u);
    inbox_1 = nts_v0;
    v_1 = nts_load_resources_4(nts_offset(inbox_1, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member)) * 4u), 3u);
    nts_note_word(0u, (nts_offset(inbox_1, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member)) * 4u)).x, nts_record[(nts_offset(inbox_1, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member)) * 4u)).y], v_1, 0u);
    if (!((v_1 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) {
      nts_held = false;
      nts_open[min(nts_index, 1023u) >> 5u] |= 1u << (nts_index & 31u);
      nts_note_need(0u, (lsa_barrierSession_epoch + 1u), 0u);
      nts_noting = false;
    }
  }
  return nts_held;
}

fn nts_explain_4() -> bool {
  let nts_v1 = nts_window_pointer(((nts_base + 12u) + 32u), bitcast<i32>(nts_record[(nts_base + 12u) + 2u]), nts_mul_offset(nts_record[(nts_base + 12u) + 7u], 128u, 33554431u));
  var i_5: u32;
  var member_1: i32;
  var inbox_3: nts_ptr;
  lsa_barrierSession_epoch = nts_state[nts_kept(2u)];
  v_4 = nts_state[nts_kept(1u)];
  var nts_held = true;
  for (var nts_index = 0u; nts_index < 1u; nts_index++) {
    i_5 = nts_index;
    if (nts_noting) { nts_word_count = 0u; }
    member_1 = nts_rem_i32(((bitcast<i32>(nts_record[(nts_base + 12u) + 2u]) + 1i) + bitcast<i32>(i_5)), 2i, i32(-2147483648), 4u);
    inbox_3 = nts_v1;
    v_4 = nts_load_resources_4(nts_offset(inbox_3, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member_1)) * 4u), 5u);
    nts_note_word(1u, (nts_offset(inbox_3, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member_1)) * 4u)).x, nts_record[(nts_offset(inbox_3, (((3u * bitcast<u32>(bitcast<i32>(nts_record[(nts_base + 12u) + 8u]))) + ((nts_cta % nts_record[nts_base + 4u]) * 2u)) + bitcast<u32>(member_1)) * 4u)).y], v_4, 0u);
    if (!((v_4 - (lsa_barrierSession_epoch + 1u)) <= 2147483647u)) {
      nts_held = false;
      nts_open[min(nts_index, 1023u) >> 5u] |= 1u << (nts_index & 31u);
      nts_note_need(1u, (lsa_barrierSession_epoch + 1u), 0u);
      nts_noting = false;
    }
  }
  return nts_held;
}

/** Reports the words that each parked CTA waits for. */
@compute @workgroup_size(64)
fn explain(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let here = nts_enter(group);
  nts_thread = lane;
  if (lane == 0u) {
    nts_shared_pc = 2147483647u;
    if (here) { nts_shared_pc = nts_state[nts_record[nts_base + 7u] + nts_cta]; }
    atomicStore(&nts_first, 0xffffffffu);
    for (var i = 0u; i < 32u; i++) { atomicStore(&nts_stuck[i], 0u); }
  }
  let pc = workgroupUniformLoad(&nts_shared_pc);
  if (((pc & 1u) == 0u) | (pc == 2147483647u)) { return; }
  {
    var held = true;
    switch pc {
      case 3u: { held = nts_explain_1(); }
      case 9u: { held = nts_explain_4(); }
      default: {}
    }
    if (!held) {
      atomicOr(&nts_stuck[nts_thread >> 5u], 1u << (nts_thread & 31u));
      atomicMin(&nts_first, nts_thread);
    }
  }
  workgroupBarrier();
  let first = atomicLoad(&nts_first);
  {
    if (nts_thread == first) {
      nts_noting = true;
      var held = true;
      switch pc {
        case 3u: { held = nts_explain_1(); }
        case 9u: { held = nts_explain_4(); }
        default: {}
      }
      let note = 16448u + atomicAdd(&nts_status[35u], 95u);
      if (note + 95u <= 32832u) {
        atomicStore(&nts_status[note + 0u], pc);
        atomicStore(&nts_status[note + 1u], nts_launch_status(0u));
        atomicStore(&nts_status[note + 2u], nts_cta);
        for (var i = 0u; i < 32u; i++) {
          atomicStore(&nts_status[note + 3u + i], atomicLoad(&nts_stuck[i]));
          atomicStore(&nts_status[note + 35u + i], nts_open[i]);
        }
        atomicStore(&nts_status[note + 67u], nts_word_count);
        for (var i = 0u; i < 20u; i++) { atomicStore(&nts_status[note + 67u + 1u + i], nts_words[i]); }
        atomicStore(&nts_status[note + 88u], nts_need_count);
        for (var i = 0u; i < 6u; i++) { atomicStore(&nts_status[note + 88u + 1u + i], nts_needs[i]); }
      }
    }
  }
}
