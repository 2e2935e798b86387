import type { Window } from '@nccl-ts/communicator';
import { scalarInfo } from '@nccl-ts/core';
import type { CallCounts, Expected } from '../bench-program.ts';
import type { BenchCall } from '../contender.ts';
import { inputPattern, reducedPattern, type PatternOf } from '../data/pattern.ts';
import { PERIOD, Repeated } from '../data/repeated.ts';
import { AVERAGE_STEPS, wrongElements } from '../data/wrong-elements.ts';
import { buffersOf, type CallBuffers, type RankWindows } from './bench-buffers.ts';

/** A call whose data is checked. */
export interface CheckedCall {
  readonly call: BenchCall;
  readonly counts: CallCounts;
  readonly inPlace: boolean;
  readonly nRanks: number;
  readonly seed: number;
  /** The start of the call's buffers in their windows. */
  readonly firstByte: number;
}

/** Writes the input of every rank, and zeros to separate receive buffers. */
export async function initData(checked: CheckedCall, ranks: readonly RankWindows[]): Promise<void> {
  const { call, counts, firstByte, nRanks } = checked;
  const { program, type, root } = call;
  const zeros = new Repeated(new Uint8Array(PERIOD), counts.recv * type.bytes);
  for (const windows of ranks) {
    await writePieces(windows.recv, firstByte, zeros.pieces(0, counts.recv * type.bytes));
    const { rank } = windows.comm;
    if (!program.sends({ rank, nRanks, root })) continue;
    const { from, fromByte } = buffersIn(checked, windows);
    const input = source(checked, rank, counts.send);
    await writePieces(from, fromByte, input.pieces(0, counts.send * type.bytes));
  }
}

/** The number of elements on all ranks that differ from the expected result of the call. */
export async function countWrong(checked: CheckedCall, ranks: readonly RankWindows[]): Promise<number> {
  const { call, counts, nRanks } = checked;
  const sources = new Map<Expected['of'], Repeated>();
  const sourceOf = (of: Expected['of']): Repeated => {
    const found = sources.get(of) ?? source(checked, of, Math.max(counts.send, counts.recv));
    sources.set(of, found);
    return found;
  };
  let wrong = 0;
  for (const windows of ranks) {
    const at = { rank: windows.comm.rank, nRanks, root: call.root };
    const buffers = buffersIn(checked, windows);
    const expected = call.program.expects(at, counts);
    if (expected === undefined) wrong += await countTouched(checked, buffers);
    else wrong += await countUnexpected(checked, buffers, expected, sourceOf);
  }
  return wrong;
}

async function countUnexpected(
  { call }: CheckedCall,
  { to, toByte }: CallBuffers,
  expected: readonly Expected[],
  sourceOf: (of: Expected['of']) => Repeated,
): Promise<number> {
  const { bytes, kind } = call.type;
  const steps = call.program.reduces && call.op === 'avg' && scalarInfo[kind].class === 'float' ? AVERAGE_STEPS : 0;
  let wrong = 0;
  let at = toByte;
  for (const { of, from, count } of expected) {
    for (const piece of sourceOf(of).pieces(from * bytes, count * bytes)) {
      wrong += wrongElements(await to.read(new Uint8Array(piece.byteLength), at), piece, bytes, steps);
      at += piece.byteLength;
    }
  }
  return wrong;
}

/**
 * Checks that the buffer of a rank that receives nothing is unchanged. In place the buffer is its
 * input surrounded by zeros.
 */
async function countTouched(checked: CheckedCall, { to, fromByte }: CallBuffers): Promise<number> {
  const { call, counts, inPlace, firstByte } = checked;
  const { bytes } = call.type;
  const before = new Uint8Array(counts.recv * bytes);
  const { rank } = to;
  if (inPlace && call.program.sends({ rank, nRanks: checked.nRanks, root: call.root })) {
    let at = fromByte - firstByte;
    for (const piece of source(checked, rank, counts.send).pieces(0, counts.send * bytes)) {
      before.set(piece, at);
      at += piece.byteLength;
    }
  }
  if (before.byteLength === 0) return 0;
  return wrongElements(await to.read(new Uint8Array(before.byteLength), firstByte), before, bytes, 0);
}

function buffersIn({ call, counts, inPlace, firstByte }: CheckedCall, windows: RankWindows): CallBuffers {
  return buffersOf(windows, { counts, elementBytes: call.type.bytes, inPlace }, firstByte);
}

/** The data that rank `of` sends, or the result of reducing it. */
function source({ call, nRanks, seed }: CheckedCall, of: Expected['of'], count: number): Repeated {
  const { kind, bytes } = call.type;
  const length = Math.max(1, Math.min(PERIOD, count));
  const op = call.program.reduces ? call.op : undefined;
  const pattern: PatternOf = { kind, op, nRanks, seed, length };
  return new Repeated(of === 'reduced' ? reducedPattern(pattern) : inputPattern(pattern, of), count * bytes);
}

async function writePieces(window: Window<'u8'>, offset: number, pieces: Iterable<Uint8Array>): Promise<void> {
  let at = offset;
  for (const piece of pieces) {
    await window.write(piece, at);
    at += piece.byteLength;
  }
}
