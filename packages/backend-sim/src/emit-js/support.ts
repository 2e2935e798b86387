import {
  bf16ToNumber,
  e4m3DecodeTable,
  e5m2DecodeTable,
  f16DecodeTable,
  NcclError,
  numberToE4m3,
  roundToBf16,
  roundToE4m3,
  roundToE5m2,
  roundToF16,
} from '@nccl-ts/core';

import { MOST_PEERS } from '../emit-wasm/peer-layout.ts';
import type { Cta, DevCommValue, ProgramHost, WindowValue } from '../program.ts';
import { arithmetic, bf16Bits, e5m2Bits, f16Bits } from './support-arithmetic.ts';
import { groups } from './support-groups.ts';
import { network } from './support-network.ts';
import { faults } from './support-faults.ts';
import { multicasts } from './support-multicast.ts';
import { windowSearch } from './support-windows.ts';
import type { SupportFunctions } from './support-functions.ts';
import { views } from '../memory/heap-views.ts';

/** Everything that generated code calls by name; bound to one host. */
export function support(host: ProgramHost): SupportFunctions {
  return {
    ...codecs(),
    ...fields,
    ...arithmetic,
    ...faults(host),
    ...groups(host),
    ...network(host),
    ...multicasts(host),
    ...windowSearch(host),
    ...peerTables(host),
    scratch: views(128),
    views,
  };
}

/** What WebAssembly needs to find the peers of a window by their numbers. */
function peerTables(host: ProgramHost): SupportFunctions {
  return {
    writePeers: ({ bases, firstRegion, lsaSize }: WindowValue, at: number): void => {
      const { f64 } = host.heap;
      const { low, high } = host.regions;
      const columns = [
        bases.subarray(0, lsaSize),
        ...[low, high].map((of) => of.subarray(firstRegion, firstRegion + lsaSize)),
      ];
      columns.forEach((column, i) => {
        const start = at + i * (MOST_PEERS + 1);
        f64[start] = 0;
        f64.set(column, start + 1);
      });
    },
  };
}

function codecs(): SupportFunctions {
  return {
    roundToF16,
    roundToBf16,
    roundToE4m3,
    roundToE5m2,
    f16Bits,
    bf16Bits,
    numberToE4m3,
    e5m2Bits,
    bf16ToNumber,
    f16Table: f16DecodeTable(),
    e4m3Table: e4m3DecodeTable(),
    e5m2Table: e5m2DecodeTable(),
  };
}

const fields: SupportFunctions = {
  numberField: (handle: WindowValue | DevCommValue, name: string): number => {
    const value = handle.fields[name];
    if (value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A handle has no number '${name}'.`);
    return value;
  },
  windowField: (handle: DevCommValue, name: string): WindowValue => {
    const value = handle.windows[name];
    if (value === undefined)
      throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no window '${name}'.`);
    return value;
  },
  // A peer that does not exist has no memory: its pointers have the null region, so accesses through them fault.
  peerBase: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? (window.bases[peer] ?? 0) : 0,
  peerRegion: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? window.firstRegion + peer : 0,
};

/** A CTA as generated code builds it, as far as support functions look inside. */
export interface RunningCta extends Cta {
  readonly dead?: Uint8Array;
}
