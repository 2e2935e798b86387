import { helper } from '../emit-shared/context.ts';
import { value, type WasmValue } from './function-builder.ts';
import { SLOT_BYTES } from '../program/flat-address.ts';
import { LEAST_PEER, PEERS } from '../program/stray-peer.ts';
import { block, f64, get, i32, lines, memory, op, set, tee, type WasmCode } from './instruction.ts';
import { MOST_PEERS, PEER_COLUMN_DOUBLES, peerColumns } from '../program/peer-layout.ts';
import type { WasmScope } from './scope.ts';

/**
 * The base of a pointer to a peer that differs by thread: the address of its copy, and its region.
 */
export interface PeerEntry {
  readonly base: WasmCode;
  readonly region: WasmValue;
}

/**
 * Looks up a peer of `window`, a JavaScript expression, in a table that JavaScript writes before
 * the call.
 */
export function peerEntry(window: string, peer: WasmValue, scope: WasmScope): PeerEntry {
  const { fn, prologue } = scope;
  const size = `${window}.lsaSize`;
  prologue.require(`${size} <= ${MOST_PEERS}`);
  const start = prologue.atom(`${helper(scope.context, 'strayStart')}(${size})`);
  const write = `${helper(scope.context, 'writePeers')}(${window}`;
  return entry(write, get(fn.param(size, 'i32')), peer, scope, get(fn.param(start, 'f64')));
}

/**
 * Does the same for the members of a multicast address in `region`, a JavaScript expression. A
 * member's copy is `base` bytes further in memory.
 */
export function memberEntry(region: string, member: WasmValue, scope: WasmScope): PeerEntry {
  const size = memberCount(region, scope);
  scope.prologue.require(`${size} <= ${MOST_PEERS}`);
  const write = helper(scope.context, 'writeMembers');
  return entry(`${write}(${region}`, get(scope.fn.param(size, 'i32')), member, scope);
}

/**
 * Returns the JavaScript expression for the number of members of a multicast address in `region`,
 * which is never 0.
 */
export function memberCount(region: string, { context, prologue }: WasmScope): string {
  const size = prologue.atom(`${helper(context, 'multicastSize')}(${region})`);
  prologue.require(`${size} > 0`);
  return size;
}

/** `stray` is the base of pointers to the first nonexistent peer, as in `strayStart`. */
function entry(
  write: string,
  size: WasmCode[number],
  peer: WasmValue,
  { fn, region, code }: WasmScope,
  stray?: WasmCode[number],
): PeerEntry {
  const offset = region.peerTable(write);
  const row = fn.local('i32');
  region.rows.push(row);
  const inside: WasmCode = [...peer.code, size, op('i32.lt_u'), block('if', fn.label(), 'i32')];
  const none = stray === undefined ? [] : keepStray(offset, peer, stray, { fn, region });
  code.push(...lines(inside, peer.code, i32(1), op('i32.add'), op('else'), none, i32(0), op('end'), set(row)));
  const column = (index: number): WasmCode => [
    ...lines(region.frame, get(row), i32(3), op('i32.shl'), op('i32.add')),
    memory('f64.load', 8, offset + index * PEER_COLUMN_DOUBLES * 8),
  ];
  return {
    base: column(peerColumns.base),
    region: {
      ...value('i32', ...column(peerColumns.region), op('i32.trunc_sat_f64_u')),
      bounds: { low: column(peerColumns.low), high: column(peerColumns.high) },
    },
  };
}

/**
 * If the table does not have the peer, emits the address that encodes `peer`, as `strayBase` does.
 */
function keepStray(
  table: number,
  peer: WasmValue,
  start: WasmCode[number],
  { fn, region }: Pick<WasmScope, 'fn' | 'region'>,
): WasmCode {
  const slot = fn.local('i32');
  return lines(
    [...region.frame, start],
    [...peer.code, i32(LEAST_PEER), op('i32.sub'), tee(slot), i32(PEERS - 1)],
    [get(slot), i32(PEERS - 1), op('i32.lt_u'), op('select')],
    [op('f64.convert_i32_u'), f64(SLOT_BYTES), op('f64.mul'), op('f64.add')],
    memory('f64.store', 8, table + peerColumns.base * PEER_COLUMN_DOUBLES * 8),
  );
}
