import { block, get, i32, lines, memory, op, set, type Code } from './instruction.ts';
import { value, type Value } from './function-builder.ts';
import { MOST_PEERS } from './peer-layout.ts';
import type { WasmScope } from './scope.ts';

/** What a pointer to a peer that differs by thread begins with: the address of its copy, and its region. */
export interface PeerEntry {
  readonly base: Code;
  readonly region: Value;
}

/** Looks a peer of `window`, a JavaScript expression, up in a table that JavaScript writes before the call. */
export function peerEntry(window: string, peer: Value, scope: WasmScope): PeerEntry {
  const { fn, region, prologue } = scope;
  prologue.require(`${window}.lsaSize <= ${MOST_PEERS}`);
  const offset = region.peerTable(window);
  const row = fn.local('i32');
  region.rows.push(row);
  const size = get(fn.param(`${window}.lsaSize`, 'i32'));
  const inside: Code = [...peer.code, size, op('i32.lt_u')];
  const shown: Code = [...peer.code, i32(1), op('i32.add')];
  scope.code.push(
    ...lines([...inside, block('if', fn.label(), 'i32'), ...shown, op('else'), i32(0), op('end'), set(row)]),
  );
  const column = (index: number): Code =>
    lines(
      [...region.frame, get(row), i32(3), op('i32.shl'), op('i32.add')],
      memory('f64.load', 8, offset + index * (MOST_PEERS + 1) * 8),
    );
  const number: Code = lines(
    [get(row), get(fn.param(`${window}.firstRegion`, 'i32')), op('i32.add'), i32(1), op('i32.sub')],
    [i32(0), get(row), op('select')],
  );
  return {
    base: column(0),
    region: { ...value('i32', ...number), bounds: { low: column(1), high: column(2) } },
  };
}
