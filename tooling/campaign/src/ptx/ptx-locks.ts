import { anyAccess, atomic, load, store } from './ptx-access.ts';
import {
  addressOf,
  basesOf,
  kept,
  piece,
  scopeOf,
  spaceOf,
  valueOf,
  type Place,
  type PtxActor,
  type PtxDraft,
} from './ptx-draft.ts';
import type { PtxShares } from './ptx-messages.ts';
import type { PtxPiece } from './ptx-program.ts';

function word({ random, ranks }: PtxDraft, line: number): Place {
  return { base: random.pick(basesOf(ranks)), line };
}

function strong(draft: PtxDraft, order: 'acquire' | 'release' | 'acq_rel'): string {
  return draft.random.chance(draft.care) ? order : 'relaxed';
}

/** Accesses that happen one after the other, if the lock is right. */
function critical(draft: PtxDraft): readonly PtxPiece[] {
  const choice = { place: draft.random.pick(draft.data), width: 'u32', offset: 0, order: '' } as const;
  return draft.random.pick([
    () => [load(draft, choice), store(draft, choice)],
    () => [store(draft, choice)],
    () => [load(draft, choice)],
  ] as const)();
}

/** The last to draw a ticket uses what the others stored, or each waits for its turn. */
export function tickets(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const [counter, turn] = [addressOf(word(draft, 4)), addressOf(word(draft, 5))];
  const scope = scopeOf(draft);
  const drawn = `atom.${strong(draft, 'acq_rel')}.${scope}.global.add.u32 $r1, ${counter}, 1;`;
  if (random.chance(0.5)) {
    const place = random.pick(draft.data);
    const uses = random.chance(0.6)
      ? `ld.${spaceOf(place)}.u32 $r2, ${addressOf(place)};`
      : `st.${spaceOf(place)}.u32 ${addressOf(place)}, ${valueOf(draft)};`;
    const last = piece(
      [drawn, `setp.ne.u32 $p1, $r1, ${actors.length - 1};`, '@$p1 bra $L1;', uses, '$L1:'],
      ['tickets'],
    );
    return actors.map((actor, index) => {
      const own: Place = index === 0 ? place : random.pick([place, { ...place, line: (place.line + 1 + index) % 4 }]);
      return [actor, [store(draft, { place: own, width: 'u32', offset: 0, order: '' }), last]];
    });
  }
  const wait = piece(
    [
      drawn,
      '$L1:',
      `ld.${strong(draft, 'acquire')}.${scope}.global.u32 $r2, ${turn};`,
      'setp.ne.u32 $p1, $r2, $r1;',
      '@$p1 bra $L1;',
    ],
    ['tickets'],
  );
  const next = piece([`red.${strong(draft, 'release')}.${scope}.global.add.u32 ${turn}, 1;`]);
  return actors.map((actor) => [actor, [wait, ...critical(draft), next]]);
}

/** Each actor adds by a loop of compare-and-swap. */
export function casLoops(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const place = word(draft, 4 + random.below(2));
  const at = addressOf(place);
  const scope = scopeOf(draft);
  const order = random.pick(['relaxed', 'acq_rel', 'release', 'acquire']);
  const loop = (): PtxPiece =>
    piece(
      [
        `ld.${random.chance(0.3) ? 'volatile' : `relaxed.${scope}`}.global.u32 $r1, ${at};`,
        '$L1:',
        'mov.u32 $r2, $r1;',
        `add.u32 $r3, $r2, ${1 + random.below(2)};`,
        `atom.${order}.${scope}.global.cas.b32 $r1, ${at}, $r2, $r3;`,
        'setp.ne.u32 $p1, $r1, $r2;',
        '@$p1 bra $L1;',
        ...(random.chance(0.5) ? kept() : []),
      ],
      ['CAS loops'],
    );
  return actors.map((actor) => [
    actor,
    [...(random.chance(0.4) ? [anyAccess(draft)] : []), loop(), ...(random.chance(0.4) ? [anyAccess(draft)] : [])],
  ]);
}

/** Each actor takes a lock, accesses data and gives the lock back. */
export function locks(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const at = addressOf(word(draft, 4));
  const scope = scopeOf(draft);
  const take = random.chance(0.5)
    ? `atom.${strong(draft, 'acquire')}.${scope}.global.cas.b32 $r1, ${at}, 0, 1;`
    : `atom.${strong(draft, 'acquire')}.${scope}.global.exch.b32 $r1, ${at}, 1;`;
  const locked = piece(['$L1:', take, 'setp.ne.u32 $p1, $r1, 0;', '@$p1 bra $L1;'], ['locks']);
  const free = piece([
    random.chance(0.6)
      ? `st.${strong(draft, 'release')}.${scope}.global.u32 ${at}, 0;`
      : `atom.${strong(draft, 'release')}.${scope}.global.exch.b32 $r1, ${at}, 0;`,
  ]);
  return actors.map((actor) => [actor, [locked, ...critical(draft), free]]);
}

/** Atomics of 8 bytes beside those of 4 on one line. */
export function wideAtomics(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const place = draft.random.pick(draft.data);
  return actors.map((actor, index) => [
    actor,
    [
      atomic(
        draft,
        index === 0 ? { place, width: 'u64' } : { place, width: 'u32', offset: draft.random.pick([0, 0, 4]) },
      ),
      ...(draft.random.chance(0.4) ? [load(draft, { place, width: draft.random.pick(['u32', 'u64']) })] : []),
    ],
  ]);
}

/** An access at an index that was loaded, added to or depends on the lane. */
export function dynamicAddress(draft: PtxDraft, actors: readonly PtxActor[]): PtxShares {
  const { random } = draft;
  const index = word(draft, 4);
  const base = random.pick(basesOf(draft.ranks));
  return actors.map((actor) => {
    const found = random.pick([
      `ld.${random.chance(0.4) ? 'volatile' : `relaxed.${scopeOf(draft)}`}.global.u32 $r1, ${addressOf(index)};`,
      `atom.relaxed.${scopeOf(draft)}.global.add.u32 $r1, ${addressOf(index)}, 1;`,
      'mov.u32 $r1, %ctaid.x;',
      'mov.u32 $r1, %tid.x;',
    ]);
    const access = random.chance(0.6)
      ? [`st.global.u32 [$d2], ${valueOf(draft)};`]
      : ['ld.global.u32 $r1, [$d2];', ...kept()];
    const lines = [
      found,
      'and.b32 $r2, $r1, 3;',
      'mul.wide.u32 $d1, $r2, 16;',
      `add.u64 $d2, ${base}, $d1;`,
      ...access,
    ];
    const set = random.chance(0.3)
      ? [piece([`st.relaxed.${scopeOf(draft)}.global.u32 ${addressOf(index)}, ${1 + random.below(2)};`])]
      : [];
    return [actor, [...set, piece(lines, ['dynamic addresses'], random.chance(0.3) ? 'two' : 'first')]];
  });
}
