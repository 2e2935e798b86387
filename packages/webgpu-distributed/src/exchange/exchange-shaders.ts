import { RESOURCE_BASE } from '@nccl-ts/backend-webgpu/devices';
import { BLOCK_STRIDE, BLOCK_VALUES, BLOCK_WORDS, ENTRY_WORDS, MOST_ENTRIES } from './change-list.ts';

/** Invocations of a workgroup of both. */
export const WORKGROUP = 64;

/** Workgroups in the first dimension; more use the second. */
export const ROW = 32768;

const resources = `${RESOURCE_BASE}u`;

/**
 * Compares ranges of memory with the agreed content, block by block, and lists the words that
 * differ. Listed words count as agreed from then on. Words for which the list has no room are found
 * next time.
 */
export const findShader: string = /* wgsl */ `
struct Search { ranges: u32, blocks: u32, entry_room: u32, block_room: u32, heap_bytes: u32, resource_bytes: u32 }

@group(0) @binding(0) var<storage, read> heap: array<u32>;
@group(0) @binding(1) var<storage, read> resources: array<u32>;
@group(0) @binding(2) var<storage, read_write> agreed_heap: array<u32>;
@group(0) @binding(3) var<storage, read_write> agreed_resources: array<u32>;
// The address of the first byte, how many words, the number of the first block.
@group(0) @binding(4) var<storage, read> ranges: array<vec4u>;
// Entries and blocks that were to be listed.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> changes: array<u32>;
@group(0) @binding(7) var<uniform> search: Search;

var<workgroup> masks: array<atomic<u32>, ${BLOCK_WORDS / 8}>;
var<workgroup> changed: atomic<u32>;
var<workgroup> total: u32;
var<workgroup> slot: u32;

fn agree(at: u32, value: u32, in_resources: bool) {
  if (in_resources) { agreed_resources[at] = value; } else { agreed_heap[at] = value; }
}

/** A bit for each byte that is not 0. */
fn bytes_of(delta: u32) -> u32 {
  let bytes = vec4u(delta & 0xffu, delta & 0xff00u, delta & 0xff0000u, delta & 0xff000000u);
  let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), bytes != vec4u(0u));
  return bits.x | bits.y | bits.z | bits.w;
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let block = group.x + group.y * ${ROW}u;
  if (block >= search.blocks) { return; }
  // The last range that begins at or before the block.
  var low = 0u;
  var high = search.ranges;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (ranges[middle].z <= block) { low = middle; } else { high = middle; }
  }
  let first = (block - ranges[low].z) * ${BLOCK_WORDS}u;
  let words = min(${BLOCK_WORDS}u, ranges[low].y - first);
  let address = ranges[low].x + first * 4u;
  let in_resources = address >= ${resources};
  let begin = select(address, address - ${resources}, in_resources) / 4u;
  let by_bytes = select(search.heap_bytes, search.resource_bytes, in_resources) != 0u;
  var values: array<u32, ${BLOCK_WORDS / WORKGROUP}>;
  var parts: array<u32, ${BLOCK_WORDS / WORKGROUP}>;
  for (var k = 0u; k < ${BLOCK_WORDS / WORKGROUP}u; k++) {
    let i = lane + k * ${WORKGROUP}u;
    if (i >= words) { break; }
    var value: u32;
    var before: u32;
    if (in_resources) {
      value = resources[begin + i];
      before = agreed_resources[begin + i];
    } else {
      value = heap[begin + i];
      before = agreed_heap[begin + i];
    }
    values[k] = value;
    if (value == before) { continue; }
    parts[k] = select(15u, bytes_of(value ^ before), by_bytes);
    atomicAdd(&changed, 1u);
    atomicOr(&masks[i / 8u], parts[k] << ((i % 8u) * 4u));
  }
  workgroupBarrier();
  if (lane == 0u) { total = atomicLoad(&changed); }
  let here = workgroupUniformLoad(&total);
  if (here == 0u) { return; }
  if (here <= ${MOST_ENTRIES}u) {
    for (var k = 0u; k < ${BLOCK_WORDS / WORKGROUP}u; k++) {
      if (parts[k] == 0u) { continue; }
      let number = atomicAdd(&counts[0], 1u);
      if (number >= search.entry_room) { continue; }
      let i = lane + k * ${WORKGROUP}u;
      changes[number * ${ENTRY_WORDS}u] = address + i * 4u;
      changes[number * ${ENTRY_WORDS}u + 1u] = values[k];
      changes[number * ${ENTRY_WORDS}u + 2u] = parts[k];
      agree(begin + i, values[k], in_resources);
    }
    return;
  }
  if (lane == 0u) { slot = atomicAdd(&counts[1], 1u); }
  let number = workgroupUniformLoad(&slot);
  if (number >= search.block_room) { return; }
  let at = search.entry_room * ${ENTRY_WORDS}u + number * ${BLOCK_STRIDE}u;
  if (lane == 0u) {
    changes[at] = address;
    changes[at + 1u] = words;
  }
  if (lane < ${BLOCK_WORDS / 8}u) { changes[at + 2u + lane] = atomicLoad(&masks[lane]); }
  for (var k = 0u; k < ${BLOCK_WORDS / WORKGROUP}u; k++) {
    let i = lane + k * ${WORKGROUP}u;
    if (i >= words) { break; }
    changes[at + ${BLOCK_VALUES}u + i] = values[k];
    if (parts[k] != 0u) { agree(begin + i, values[k], in_resources); }
  }
}
`;

/** Applies the changes of another device to this one, and to its agreed content. */
export const applyShader: string = /* wgsl */ `
struct Extent { entries: u32, blocks: u32 }

@group(0) @binding(0) var<storage, read_write> heap: array<u32>;
@group(0) @binding(1) var<storage, read_write> resources: array<u32>;
@group(0) @binding(2) var<storage, read_write> agreed_heap: array<u32>;
@group(0) @binding(3) var<storage, read_write> agreed_resources: array<u32>;
// The entries, then the blocks.
@group(0) @binding(4) var<storage, read> changes: array<u32>;
@group(0) @binding(5) var<uniform> extent: Extent;

fn change(address: u32, value: u32, bytes: u32) {
  let ones = vec4u(bytes & 1u, (bytes >> 1u) & 1u, (bytes >> 2u) & 1u, bytes >> 3u) * vec4u(0xffu, 0xff00u, 0xff0000u, 0xff000000u);
  let mask = ones.x | ones.y | ones.z | ones.w;
  if (address >= ${resources}) {
    let at = (address - ${resources}) / 4u;
    resources[at] = (resources[at] & ~mask) | (value & mask);
    agreed_resources[at] = (agreed_resources[at] & ~mask) | (value & mask);
  } else {
    let at = address / 4u;
    heap[at] = (heap[at] & ~mask) | (value & mask);
    agreed_heap[at] = (agreed_heap[at] & ~mask) | (value & mask);
  }
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let number = group.x + group.y * ${ROW}u;
  let groups_of_entries = (extent.entries + ${WORKGROUP - 1}u) / ${WORKGROUP}u;
  if (number < groups_of_entries) {
    let entry = number * ${WORKGROUP}u + lane;
    if (entry >= extent.entries) { return; }
    let at = entry * ${ENTRY_WORDS}u;
    change(changes[at], changes[at + 1u], changes[at + 2u]);
    return;
  }
  let block = number - groups_of_entries;
  if (block >= extent.blocks) { return; }
  let at = extent.entries * ${ENTRY_WORDS}u + block * ${BLOCK_STRIDE}u;
  for (var i = lane; i < changes[at + 1u]; i += ${WORKGROUP}u) {
    let bytes = (changes[at + 2u + i / 8u] >> ((i % 8u) * 4u)) & 15u;
    if (bytes != 0u) { change(changes[at] + i * 4u, changes[at + ${BLOCK_VALUES}u + i], bytes); }
  }
}
`;
