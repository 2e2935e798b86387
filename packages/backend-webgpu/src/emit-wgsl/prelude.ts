import type { WgslEmitContext } from './context.ts';
import { header, windowHead } from './launch-record.ts';
import { printHeadWords } from './print.ts';
import { rawType } from './value-type.ts';
import { faultNumbers, launchStatus, printWords, worldStatus } from './status-layout.ts';

/**
 * Returns the declarations at the start of every text: buffers, an invocation's own values, and
 * faults.
 */
export function prelude(c: WgslEmitContext, recordWords: number): string {
  const { facts, memory } = c;
  const { options } = memory;
  const heapWord = options.atomicHeap ? 'atomic<u32>' : rawType(options.heapElement);
  const many = facts.threadsEach > 1;
  return [
    `alias nts_ptr = ${c.checks ? 'vec2u' : 'u32'};`,
    '',
    '@group(0) @binding(0) var<storage, read> nts_record: array<u32>;',
    '@group(0) @binding(1) var<storage, read_write> nts_state: array<u32>;',
    '@group(0) @binding(2) var<storage, read_write> nts_status: array<atomic<u32>>;',
    `@group(0) @binding(3) var<storage, read_write> nts_heap: array<${heapWord}>;`,
    '@group(0) @binding(4) var<storage, read_write> nts_resources: array<atomic<u32>>;',
    ...Array.from(
      { length: options.segments },
      (_, i) => `@group(0) @binding(${5 + i}) var<storage, read_write> nts_segment_${i}: array<${heapWord}>;`,
    ),
    '',
    '// The launch, the CTA, the thread.',
    'var<private> nts_base: u32;',
    'var<private> nts_cta: u32;',
    'var<private> nts_thread: u32;',
    ...(many ? ['var<private> nts_k: u32;'] : []),
    ...(c.used.fuel ? [`var<private> nts_fuel: u32 = ${facts.options.fuel}u;`] : []),
    ...(facts.partialReturns ? [`var<private> nts_gone: ${many ? `array<bool, ${facts.threadsEach}>` : 'bool'};`] : []),
    ...(facts.arrayWords.local > 0
      ? [`var<private> nts_local: array<u32, ${facts.arrayWords.local * facts.threadsEach}>;`]
      : []),
    ...(facts.arrayWords.shared > 0 && !options.sharedInResources
      ? [
          `var<workgroup> nts_shared: array<${options.atomicShared ? 'atomic<u32>' : 'u32'}, ${facts.arrayWords.shared}>;`,
        ]
      : []),
    ...(c.used.wide
      ? [`const nts_locks = ${worldStatus.locks}u;`, 'var<workgroup> nts_shared_lock: atomic<u32>;']
      : []),
    '',
    `const nts_no_lane = ${faultNumbers.lane}u;`,
    `const nts_assert_failed = ${faultNumbers.assert}u;`,
    `const nts_out_of_bounds = ${faultNumbers.outOfBounds}u;`,
    `const nts_misaligned = ${faultNumbers.misaligned}u;`,
    `const nts_out_of_fuel = ${faultNumbers.fuel}u;`,
    '',
    enter(recordWords),
    '',
    faults,
    ...(c.used.fuel ? ['', burn] : []),
    ...(c.used.clock ? ['', clock] : []),
    ...(c.used.print ? ['', print] : []),
    '',
    c.checks ? checkedPointers(facts.options.lsaSize) : plainPointers,
  ].join('\n');
}

const enter = (
  recordWords: number,
): string => `/** Finds the launch and the CTA of this workgroup. Returns false if there is no such CTA. */
fn nts_enter(group: vec3u) -> bool {
  nts_base = group.y * ${recordWords}u;
  nts_cta = group.x + group.z * 32768u;
  return nts_cta < nts_record[nts_base + ${header.ctas}u];
}

/** 0, in a form that the compiler cannot predict. */
fn nts_zero() -> u32 {
  return nts_record[nts_base + ${header.zero}u];
}

fn nts_launch_status(word: u32) -> u32 {
  return nts_record[nts_base + ${header.status}u] + word;
}`;

const faults = `/** The first fault of this invocation: its kind, space and bytes, its site, thread and address, and where its memory begins. */
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
    if (atomicExchange(&nts_status[at + ${launchStatus.fault}u], 1u) == 0u) {
      atomicStore(&nts_status[at + ${launchStatus.what}u], nts_fault_what);
      atomicStore(&nts_status[at + ${launchStatus.site}u], nts_fault_site);
      atomicStore(&nts_status[at + ${launchStatus.cta}u], nts_cta);
      atomicStore(&nts_status[at + ${launchStatus.thread}u], nts_fault_thread);
      atomicStore(&nts_status[at + ${launchStatus.address}u], nts_fault_address);
      atomicStore(&nts_status[at + ${launchStatus.low}u], nts_fault_low);
    }
  }
}`;

const burn = `/** Counts a round of a loop that may never end. Returns true if there were too many. */
fn nts_burn() -> bool {
  let spent = nts_fuel == 0u;
  nts_fuel -= select(1u, 0u, spent);
  return spent;
}`;

const clock = `/** The cycle counter. It grows with every read, and jumps ahead when all threads wait for it. */
fn nts_clock() -> vec2u {
  let low = atomicLoad(&nts_status[${worldStatus.cycles}u]);
  let reads = atomicAdd(&nts_status[${worldStatus.reads}u], 1u) * 16u;
  let sum = low + reads;
  atomicAdd(&nts_status[nts_launch_status(${launchStatus.timed}u)], 1u);
  return vec2u(sum, atomicLoad(&nts_status[${worldStatus.cycles + 1}u]) + select(0u, 1u, sum < low));
}`;

const print = `/** Reserves a line with this many words of values. Returns the index of the first one, or 0 if there is no room. */
fn nts_print(words: u32, number: u32) -> u32 {
  let length = words + ${printHeadWords}u;
  let at = atomicAdd(&nts_status[${worldStatus.printed}u], length);
  let head = ${worldStatus.printAt}u + at;
  let fits = at + length <= ${printWords}u;
  if (fits) {
    atomicStore(&nts_status[head], length);
    atomicStore(&nts_status[head + 1u], number);
    atomicStore(&nts_status[head + 2u], nts_launch_status(0u));
    atomicStore(&nts_status[head + 3u], nts_cta);
    atomicStore(&nts_status[head + 4u], nts_thread);
  }
  return select(0u, head + ${printHeadWords}u, fits);
}`;

const checkedPointers = (
  lsaSize: number,
): string => `/** A pointer is an address and the index of its bounds, in the launch record or in the table of arrays. */
fn nts_window_pointer(window: u32, peer: i32, offset: u32) -> nts_ptr {
  let known = bitcast<u32>(peer) < ${lsaSize}u;
  let bounds = select(nts_base + ${header.nullLow}u, window + ${windowHead.bounds}u + 2u * u32(peer), known);
  return vec2u(nts_record[bounds] + offset, bounds);
}

fn nts_offset(p: nts_ptr, bytes: u32) -> nts_ptr {
  return vec2u(p.x + bytes, p.y);
}`;

const plainPointers = `/** A pointer is an address. */
fn nts_window_pointer(window: u32, peer: i32, offset: u32) -> nts_ptr {
  return nts_record[window + ${windowHead.bounds}u + 2u * u32(peer)] + offset;
}`;
