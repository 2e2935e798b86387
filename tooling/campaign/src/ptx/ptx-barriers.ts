import { anyAccess, load, store } from './ptx-access.ts';
import {
  addressOf,
  kept,
  piece,
  placeOf,
  scopeOf,
  spaceOf,
  valueOf,
  type Place,
  type PtxActors,
  type PtxActor,
  type PtxDraft,
} from './ptx-draft.ts';
import { raise, waitFor, type PtxShares } from './ptx-messages.ts';
import type { PtxPiece } from './ptx-program.ts';

/** Warps of one CTA meet at a counted barrier with a number, or one of them only arrives. */
export function countedBarrier(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random, care } = draft;
  const place = placeOf(draft);
  const access = (): PtxPiece => anyAccess(draft, { place, width: 'u32', offset: 0 });
  const id = random.pick([1, 1, 2]);
  const count = random.chance(care) ? 64 : 32;
  const meet = (verb: string): PtxPiece => piece([`barrier.cta.${verb} ${id}, ${count};`], [], 'warp');
  const arrives = random.chance(0.5);
  const rounds = random.pick([1, 1, 2]);
  const body = (verb: string): readonly PtxPiece[] =>
    Array.from({ length: rounds }, () => [
      ...(random.chance(0.85) ? [access()] : []),
      meet(verb),
      ...(random.chance(0.5) ? [access()] : []),
    ]).flat();
  return [
    [from, body(arrives && rounds === 1 ? 'arrive' : 'sync')],
    [to, body('sync')],
  ];
}

/** All threads meet at a barrier with a number, without a count. */
export function namedBarrier(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const place = placeOf(draft);
  const id = 3 + random.below(2);
  return actors.map((actor) => [
    actor,
    [
      anyAccess(draft, { place, width: 'u32', offset: 0 }),
      piece([`barrier.cta.sync ${random.chance(draft.care) ? id : 3};`], [], 'warp'),
      ...(random.chance(0.6) ? [anyAccess(draft, { place, width: 'u32', offset: 0 })] : []),
    ],
  ]);
}

/** One actor arrives at an mbarrier, and another waits for its phase. */
export function mbarrier(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random, care } = draft;
  const place = placeOf(draft);
  const choice = random.chance(0.7) ? ({ place, width: 'u32', offset: 0, order: '' } as const) : { place };
  const both = random.chance(0.3);
  const bar = both ? '[B+8]' : '[B]';
  const arrive = (): PtxPiece =>
    piece([`mbarrier.arrive${random.chance(0.2) ? '.release.cta' : ''}.shared::cta.b64 $d1, ${bar};`]);
  const wait = (parity: number): PtxPiece => {
    const test = random.pick(['try_wait', 'test_wait']);
    return piece(['$L1:', `mbarrier.${test}.parity.shared::cta.b64 $p1, ${bar}, ${parity};`, '@!$p1 bra $L1;']);
  };
  const rounds = both || random.chance(0.7) ? 1 : 2;
  const use = (): PtxPiece => (random.chance(0.6) ? load(draft, choice) : store(draft, choice));
  const late = random.chance(0.25) ? [load(draft, { ...choice, kinds: ['loads after a flag'] })] : [];
  return [
    [from, [store(draft, choice), arrive(), ...(rounds === 2 ? [use(), arrive()] : []), ...late]],
    [
      to,
      [
        ...(both ? [arrive()] : []),
        ...(random.chance(care) ? [wait(0)] : []),
        use(),
        ...(rounds === 2 ? [wait(1), use()] : []),
      ],
    ],
  ];
}

/** Copies between shared memory and a window, and a flag between the actors of one or two CTAs. */
export function bulkCopies(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random, care } = draft;
  const may = (line: string): readonly string[] => (random.chance(care) ? [line] : []);
  const target: Place = { base: random.pick(['M0', draft.ranks > 1 ? 'M1' : 'M0']), line: random.below(2) };
  const flag: Place = { base: target.base, line: 4 };
  const value = valueOf(draft);
  const send = piece([
    `st.shared.v4.u32 [S+16], {${value}, ${value}, ${value}, ${value}};`,
    ...may('fence.proxy.async.shared::cta;'),
    'add.u32 $r1, S, 16;',
    `cp.async.bulk.global.shared::cta.bulk_group ${addressOf(target)}, [$r1], 16;`,
    ...may('cp.async.bulk.commit_group;'),
    ...may(`cp.async.bulk.wait_group${random.chance(care) ? '' : '.read'} 0;`),
  ]);
  const receive = piece([
    ...may('fence.proxy.async.global;'),
    'mbarrier.arrive.expect_tx.shared::cta.b64 _, [B], 16;',
    'add.u32 $r1, S, 32;',
    `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$r1], ${addressOf(target)}, 16, [B];`,
    ...(random.chance(care) ? ['$L1:', 'mbarrier.try_wait.parity.shared::cta.b64 $p1, [B], 0;', '@!$p1 bra $L1;'] : []),
    'ld.shared.u32 $r1, [S+32];',
    ...kept(),
  ]);
  const plain = load(draft, { place: target, width: 'u32', offset: 0, order: '' });
  const sends = random.chance(0.7) ? send : store(draft, { place: target, width: 'v4.u32', order: '' });
  return [
    [from, [sends, ...raise(draft, flag, 1)]],
    [to, [...(random.chance(care) ? waitFor(draft, flag, 1) : []), random.chance(0.5) ? receive : plain]],
  ];
}

/** Stores and reductions through the multicast address beside accesses of single windows. */
export function multimem(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random, care } = draft;
  const line = random.below(2);
  const [data, flag] = [`[MC+${16 * line}]`, '[MC+64]'];
  const value = valueOf(draft);
  const order = (strong: string): string =>
    random.chance(0.5) ? `${random.chance(care) ? strong : 'relaxed'}.${scopeOf(draft)}` : 'weak';
  const alias = (): readonly string[] => (random.chance(care) ? ['fence.proxy.alias;'] : []);
  const writes = random.pick([
    () => [`multimem.st.${order('relaxed')}.global.u32 ${data}, ${value};`],
    () => [`multimem.red.relaxed.${scopeOf(draft)}.global.add.u32 ${data}, ${value};`],
    () => [`st.global.u32 [M${random.below(draft.ranks)}+${16 * line}], ${value};`, ...alias()],
  ] as const)();
  const local: Place = { base: to.rank === 0 ? 'M0' : to.rank === 1 ? 'M1' : 'M2', line };
  const reads = random.chance(0.5)
    ? [`multimem.ld_reduce.${order('relaxed')}.global.add.u32 $r1, ${data};`, ...kept()]
    : [...alias(), `ld.global.u32 $r1, ${addressOf(local)};`, ...kept()];
  const own: Place = { ...local, line: 4 };
  const raised = random.chance(0.5)
    ? [
        piece([
          `multimem.red.${random.chance(care) ? 'release' : 'relaxed'}.${scopeOf(draft)}.global.add.u32 ${flag}, 1;`,
        ]),
      ]
    : raise(draft, own, 1);
  return [
    [from, [piece(writes), ...raised]],
    [to, [...(random.chance(0.9) ? waitFor(draft, own, 1) : []), piece(reads)]],
  ];
}

/** Lanes of one warp diverge, and store or load one line, with one value or another. */
export function divergentLanes(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  return actors.map((actor) => {
    const place = placeOf(draft);
    const [space, at] = [spaceOf(place), addressOf(place)];
    const lanes = random.pick(['two', 'two', 'warp'] as const);
    const first = random.chance(0.6) ? `st.${space}.u32 ${at}, ${valueOf(draft)};` : `ld.${space}.u32 $r1, ${at};`;
    const [then, other] = [valueOf(draft), valueOf(draft)];
    const last = lanes === 'two' ? 1 : 31;
    const sync = random.chance(0.3) ? [lanes === 'two' ? 'bar.warp.sync 3;' : 'bar.warp.sync 0xffffffff;'] : [];
    const lines = random.pick([
      // All store, and one of them stores again.
      () => [
        `st.${space}.u32 ${at}, ${valueOf(draft)};`,
        ...sync,
        `setp.ne.u32 $p1, %r4, ${last};`,
        '@$p1 bra $L1;',
        `st.${space}.u32 ${at}, ${then};`,
        '$L1:',
      ],
      // Two branches.
      () => [
        first,
        ...sync,
        'setp.eq.u32 $p1, %r4, 0;',
        '@$p1 bra $L1;',
        `st.${space}.u32 ${at}, ${other};`,
        'bra $L2;',
        '$L1:',
        `ld.${space}.u32 $r2, ${at};`,
        '$L2:',
      ],
      // A predicated access.
      () => [
        'and.b32 $r3, %r4, 1;',
        'setp.eq.u32 $p1, $r3, 0;',
        `@$p1 st.${space}.u32 ${at}, ${then};`,
        ...sync,
        `@!$p1 ld.${space}.u32 $r2, ${at};`,
      ],
      // Each lane has its own word.
      () => [
        'shl.b32 $r3, %r4, 2;',
        'and.b32 $r3, $r3, 15;',
        'cvt.u64.u32 $d1, $r3;',
        `add.u64 $d2, ${place.base === 'S' ? 'M0' : place.base}, $d1;`,
        `st.global.u32 [$d2], ${then};`,
        ...sync,
        `ld.global.u32 $r2, ${addressOf({ ...place, base: place.base === 'S' ? 'M0' : place.base, line: 0 })};`,
      ],
    ] as const)();
    return [actor, [piece(lines, ['divergent lanes'], lanes)]];
  });
}

/** Parts of one shared or global line, some of them perhaps never set. */
export function partialWords(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const sizes = ['u8', 'u8', 'u16', 'u16', 'u16', 'u32', 'u64', 'v2.u32', 'v4.u32'] as const;
  const place: Place = random.chance(0.6) ? { base: 'S', line: 0 } : random.pick(draft.data);
  return actors.map((actor) => {
    const pieces: PtxPiece[] = [];
    for (let more = 1 + random.below(3); more > 0; more--) {
      const choice = {
        place,
        width: random.pick(sizes),
        order: random.chance(0.7) ? '' : `.relaxed.${scopeOf(draft)}`,
      };
      pieces.push(random.chance(0.55) ? store(draft, choice) : load(draft, choice));
    }
    return [actor, pieces];
  });
}
