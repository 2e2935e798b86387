import { renderSections, wrappedText, type RenderOptions, type ShownNote, type ShownSection } from '@nccl-ts/ir';
import { blockIdxText } from '@nccl-ts/transport';
import type { FaultReport, FaultyAccess, PeerOfNobody } from './fault-report.ts';
import type { FaultKind } from './fault.ts';
import { languageOf, type SourceLanguage } from './source-language.ts';
import { shownLabels, callPathNotes } from './shown-span.ts';

/**
 * Renders the headline, the line with the thread's action, and the memory outside the window.
 */
export function renderFault(report: FaultReport, options: RenderOptions = {}): string {
  return `${faultHeadline(report)}\n${renderSections([faultSection(report)], 'error', options)}`;
}

/** Describes the fault in one line. */
export function faultHeadline(report: FaultReport): string {
  return headlines[report.kind](report);
}

/** The line with the thread's action, and the memory outside the window. */
export function faultSection({ kernel, rank, blockIdx, thread, place: location, access }: FaultReport): ShownSection {
  const who = `kernel ${kernel}, rank ${rank}, CTA ${blockIdxText(blockIdx)}, thread ${thread}`;
  const notes: ShownNote[] = location === undefined ? [{ word: 'note', text: `in ${who}` }] : [];
  notes.push(...callPathNotes([location]), ...landsNotes(access));
  return { labels: shownLabels(location, who), notes };
}

/**
 * Describes the memory that an access would have reached outside its window, and what to change.
 */
export function landsNotes(access: FaultyAccess | undefined): readonly ShownNote[] {
  if (access === undefined) return [];
  const { lands, address } = access;
  const note = address === undefined ? `the access would reach ${lands}` : `the address is ${lands}`;
  const help = boundsHelp(access);
  return [
    ...(lands === undefined || (lands === 'nothing' && help !== undefined) ? [] : [{ word: 'note', text: note }]),
    ...(help === undefined ? [] : [{ word: 'help', text: help }]),
  ];
}

function boundsHelp({ bytes, offset, window, peer, space, arrayBytes }: FaultyAccess): string | undefined {
  if (peer !== undefined) {
    if (peer.lsaSize === 0) return undefined;
    const last = peer.lsaSize - 1;
    return `peers are numbered from 0 to ${last}: for the next rank of a ring, take (rank + 1) % size; otherwise, test the peer before the access`;
  }
  const total = space === 'global' ? window?.bytes : arrayBytes;
  if (total === undefined || bytes === 0 || offset % bytes !== 0 || total % bytes !== 0) return undefined;
  const what = space === 'global' ? 'the window' : `the ${space} array`;
  const [element, count] = [offset / bytes, total / bytes];
  const has = `${what} has ${count === 1 ? '1 element' : `${count} elements`} of ${bytes === 1 ? '1 byte' : `${bytes} bytes`}`;
  if (element < 0 || wrappedText(element) !== String(element))
    return `${has}, and the index is below 0: begin at 1, or test it before the access`;
  if (element < count) return undefined;
  return `${has}, and this is number ${element} from 0: stop before it, or make ${what} larger`;
}

const headlines: Readonly<Record<FaultKind, (report: FaultReport) => string>> = {
  outOfBounds: ({ what, access }) => `${what} of ${bytesText(access)} out of bounds: ${whereText(access)}`,
  misaligned: ({ what, access }) =>
    `${what} of ${bytesText(access)} at an address that is not a multiple of its size: ${whereText(access)}`,
  divideByZero: ({ message }) => `integer division by zero${message === undefined ? '' : `: ${message}`}`,
  overflow: ({ message }) => message ?? 'integer division of the smallest value by -1',
  assert: ({ message }) => `assertion failed: ${message ?? ''}`,
  misuse: ({ message = 'the caller broke a rule', place }) => `misuse: ${inWordsOf(languageOf(place), message)}`,
  addressRange: ({ message }) => message ?? 'an address or byte offset below 0 or above 2^53 - 1',
  lane: ({ message }) => message ?? 'a lane index that the vector or group does not have',
  fuel: ({ message }) => message ?? 'the limit on steps was reached',
};

/** Hosts of CUDA C++ ask for resources by ncclDevCommRequirements. */
function inWordsOf(language: SourceLanguage | undefined, message: string): string {
  if (language === undefined || language === 'kernel') return message;
  return message
    .replaceAll(
      /createDevComm\(\{ (\w+): (.+?) \}\)/g,
      'its ncclDevCommRequirements need $1 = $2 (devComm: { $1: $2 } in a harness)',
    )
    .replaceAll(
      /lsaBarrierCreateRequirement\(team, (\d+)\)/g,
      'lsaBarrierCount = $1 is needed (devComm: { lsaBarrierCount: $1 } in a harness), or ncclLsaBarrierCreateRequirement with $1',
    );
}

function bytesText(access: FaultyAccess | undefined): string {
  return access === undefined ? 'memory' : access.bytes === 1 ? '1 byte' : `${access.bytes} bytes`;
}

/** Addresses below this one come from null pointers, such as those of a table left empty. */
const NULL_BYTES = 2 ** 16;

function whereText(access: FaultyAccess | undefined): string {
  if (access === undefined) return 'unknown address';
  const { bytes, offset, space, window, peer, arrayBytes, lands } = access;
  if (space !== 'global') {
    const size = arrayBytes === undefined ? '' : ` (${arrayBytes} bytes)`;
    return `byte ${offset} of a ${space} array${size}${elementText(offset, bytes, arrayBytes)}`;
  }
  if (peer !== undefined) return peerText(peer);
  if (access.address !== undefined) {
    return `device address 0x${access.address.toString(16)}, where this rank can reach no memory`;
  }
  if (window === undefined) {
    const isNull = lands === undefined && offset >= 0 && offset < NULL_BYTES;
    return `byte ${offset} from ${isNull ? 'a null pointer' : 'a pointer that is in no window'}`;
  }
  const { name, rank } = window;
  return `byte ${offset} of ${name} (${window.bytes} bytes), rank ${rank}'s copy${elementText(offset, bytes, window.bytes)}`;
}

function peerText({ peer, lsaSize }: PeerOfNobody): string {
  if (lsaSize === 0)
    return 'a window for the network alone (WindowFlags.GinOnly), which has no pointers: register the memory a second time without the flag';
  const ranks = lsaSize === 1 ? 'the only LSA rank is 0' : `LSA ranks are 0 to ${lsaSize - 1}`;
  return peer === undefined ? `a peer that does not exist: ${ranks}` : `peer ${peer}: ${ranks}`;
}

/**
 * Names the element, if the index is below 0 or wrapped around. In other cases the bytes are
 * enough. `total` is the size in bytes of the window or array that the access left.
 */
function elementText(offset: number, bytes: number, total: number | undefined): string {
  if (bytes === 0 || offset % bytes !== 0) return '';
  const element = offset / bytes;
  if (element < 0) return `, element ${element}`;
  const wrapped = wrappedText(element);
  if (wrapped !== String(element)) return `, element ${wrapped}`;
  const before = element - 2 ** 32;
  return total !== undefined && before >= 0 && before < total / bytes
    ? `, element ${element}: the result of an index below 0 that wrapped around in u32`
    : '';
}
