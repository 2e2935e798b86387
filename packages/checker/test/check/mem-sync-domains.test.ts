import type { MemoryScope } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { LaunchAttributes, MemSyncDomainMap } from '@nccl-ts/transport';
import { describe, expect, inject, it } from 'vitest';
import { hosts, reportsOf, verdictsOf } from './every-engine.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const hand = (SENDS: boolean, SCOPE: MemoryScope, FENCES: boolean) =>
  kernel(
    { name: 'hand', use: { lsa, SENDS, SCOPE, FENCES }, params: { win: window } },
    ({ lsa, SENDS, SCOPE, FENCES, fence, waitUntil, u32 }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      if (SENDS) {
        words.store(1, 42);
        if (FENCES) fence('release', SCOPE);
        words.store(0, 1, FENCES ? 'relaxed' : 'release', 'system');
      } else {
        waitUntil(() => words.load(0, FENCES ? 'relaxed' : 'acquire', FENCES ? 'system' : SCOPE) === 1);
        if (FENCES) fence('acquire', SCOPE);
        words.store(2, words.load(1));
      }
    },
  );

interface Hand {
  readonly scope: MemoryScope;
  readonly fences?: boolean;
  readonly first: LaunchAttributes;
  readonly second?: LaunchAttributes;
  readonly map?: MemSyncDomainMap;
}

const program = ({ scope, fences = false, first, second = {}, map }: Hand) =>
  hosts(async (comm) => {
    const win = await comm.allocWindow('u32', 16);
    const options = map === undefined ? {} : { memSyncDomainMap: map };
    const [a, b] = [await comm.createStream(options), await comm.createStream(options)];
    const shape = { grid: 1, block: 1 };
    await comm.launch(hand(true, scope, fences), { ...shape, stream: a, attributes: first }, { win });
    await comm.launch(hand(false, scope, fences), { ...shape, stream: b, attributes: second }, { win });
    await comm.synchronize(a);
    await comm.synchronize(b);
  });

const remote = { memSyncDomain: 'remote' } as const;

describe('kernels of one GPU in different memory synchronization domains', () => {
  it.each(
    (
      [
        { what: 'device scope', scope: 'device', first: remote, verdict: 'race' },
        { what: 'fences of device scope', scope: 'device', fences: true, first: remote, verdict: 'race' },
        { what: 'system scope', scope: 'system', first: remote, verdict: 'clean' },
        { what: 'fences of system scope', scope: 'system', fences: true, first: remote, verdict: 'clean' },
        { what: 'device scope in one domain', scope: 'device', first: remote, second: remote, verdict: 'clean' },
        { what: 'device scope in the domain of who says nothing', scope: 'device', first: {}, verdict: 'clean' },
        {
          what: 'device scope where the map makes both one',
          scope: 'device',
          first: remote,
          map: { default: 2, remote: 2 },
          verdict: 'clean',
        },
      ] as const
    ).filter((row) => (row.what === 'system scope') !== inject('slow')),
  )('$what: $verdict', async ({ verdict, ...given }) => {
    expect(await verdictsOf({ ranks: 1 }, program(given))).toEqual([verdict]);
  });

  it.for(quick)('are reported with the missing scope', async () => {
    const reports = await reportsOf({ ranks: 1 }, program({ scope: 'device', first: remote }));
    const missing = reports.get('random 1')?.findings.flatMap((finding) => finding.missing.map(({ kind }) => kind));
    expect(new Set(missing)).toEqual(new Set(['scope']));
  });
});
