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

/** Reserves a line with this many words of values. Returns the index of the first one, or 0 if there is no room. */
fn nts_print(words: u32, number: u32) -> u32 {
  let length = words + 5u;
  let at = atomicAdd(&nts_status[35u], length);
  let head = 16448u + at;
  let fits = at + length <= 16384u;
  if (fits) {
    atomicStore(&nts_status[head], length);
    atomicStore(&nts_status[head + 1u], number);
    atomicStore(&nts_status[head + 2u], nts_launch_status(0u));
    atomicStore(&nts_status[head + 3u], nts_cta);
    atomicStore(&nts_status[head + 4u], nts_thread);
  }
  return select(0u, head + 5u, fits);
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

fn nts_unpack_f32x2(w: vec2u) -> array<f32, 2> {
  return array<f32, 2>(bitcast<f32>(w[0]), bitcast<f32>(w[1]));
}

fn nts_pack_f32x2(v: array<f32, 2>) -> vec2u {
  return vec2u((bitcast<u32>(v[0])), (bitcast<u32>(v[1])));
}

fn nts_state_0() {
  if ((nts_thread == 1u)) {
    let nts_v0 = nts_pack_f32x2(nts_unpack_f32x2(vec2u(nts_record[nts_base + 13u], nts_record[nts_base + 14u])));
    let nts_v1 = nts_print(5u, 0u);
    if (nts_v1 != 0u) {
      atomicStore(&nts_status[nts_v1 + 0u], (nts_cta % nts_record[nts_base + 4u]));
      atomicStore(&nts_status[nts_v1 + 1u], bitcast<u32>(bitcast<i32>(nts_record[nts_base + 12u])));
      atomicStore(&nts_status[nts_v1 + 2u], u32((bitcast<i32>(nts_record[nts_base + 12u]) > 3i)));
      atomicStore(&nts_status[nts_v1 + 3u], nts_v0[0]);
      atomicStore(&nts_status[nts_v1 + 4u], nts_v0[1]);
    }
  }
  nts_fault(0u, select(nts_assert_failed, 0u, (bitcast<i32>(nts_record[nts_base + 12u]) < 100i)));
  let nts_v2 = nts_print(0u, 1u);
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
