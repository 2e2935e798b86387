import type { Kind } from '../kinds.ts';
import { anyAccess, atomic, fence, load, store } from './ptx-access.ts';
import {
  addressOf,
  basesOf,
  piece,
  scopeOf,
  spaceOf,
  valueOf,
  type Place,
  type PtxActors,
  type PtxActor,
  type PtxDraft,
} from './ptx-draft.ts';
import type { PtxPiece } from './ptx-program.ts';

/** The pieces of each actor of a pattern. */
export type PtxShares = readonly (readonly [PtxActor, readonly PtxPiece[]])[];

/** A word that only patterns use: line 4 or 5 of a window. */
export function flagOf({ random, ranks, block }: PtxDraft, actors: readonly PtxActor[]): Place {
  const [first] = actors;
  const isOneCta = block >= 2 && actors.every(({ rank, cta }) => rank === first?.rank && cta === first.cta);
  if (isOneCta && random.chance(0.15)) return { base: 'S', line: 3 };
  return { base: random.pick(basesOf(ranks)), line: 4 + random.below(2) };
}

/** Stores or adds `value` to a flag. */
export function raise(draft: PtxDraft, flag: Place, value: number): readonly PtxPiece[] {
  const { random, care } = draft;
  const right = (): boolean => random.chance(care);
  const [space, at] = [spaceOf(flag), addressOf(flag)];
  const scope = scopeOf(draft);
  const before = random.chance(0.4) ? [fence(draft)] : [];
  const order = before.length > 0 ? random.pick(['relaxed', 'release']) : right() ? 'release' : 'relaxed';
  switch (random.weighted({ store: 6, volatile: 2, red: 1.5, exch: 1 })) {
    case 'store':
      return [...before, piece([`st.${order}.${scope}.${space}.u32 ${at}, ${value};`])];
    case 'volatile':
      return [...before, piece([`st.volatile.${space}.u32 ${at}, ${value};`])];
    case 'red':
      return [...before, piece([`red.${order}.${scope}.${space}.add.u32 ${at}, ${value};`])];
    case 'exch':
      return [...before, piece([`atom.${order}.${scope}.${space}.exch.b32 $r1, ${at}, ${value};`])];
  }
}

/** Waits until a flag is `value` at least. */
export function waitFor(draft: PtxDraft, flag: Place, value: number, kinds: readonly Kind[] = []): readonly PtxPiece[] {
  const { random, care } = draft;
  const [space, at] = [spaceOf(flag), addressOf(flag)];
  const scope = scopeOf(draft);
  const after = random.chance(0.4) ? [fence(draft)] : [];
  const order = after.length > 0 ? random.pick(['relaxed', 'acquire']) : random.chance(care) ? 'acquire' : 'relaxed';
  const poll = random.weighted({ load: 6, volatile: 2.5, atom: 0.7 });
  const text =
    poll === 'load'
      ? `ld.${order}.${scope}.${space}.u32 $r1, ${at};`
      : poll === 'volatile'
        ? `ld.volatile.${space}.u32 $r1, ${at};`
        : `atom.${order}.${scope}.${space}.or.b32 $r1, ${at}, 0;`;
  return [piece(['$L1:', text, `setp.lt.u32 $p1, $r1, ${value};`, '@$p1 bra $L1;'], kinds), ...after];
}

/** One actor accesses data and raises a flag. Another waits for it and accesses the data. */
export function message(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random } = draft;
  const flag = flagOf(draft, [from, to]);
  const place = random.pick(draft.data);
  const choice = random.chance(0.7) ? ({ place, width: 'u32', offset: 0, order: '' } as const) : { place };
  const first = random.chance(0.6)
    ? store(draft, choice)
    : random.chance(0.7)
      ? load(draft, choice)
      : anyAccess(draft, choice);
  const late = random.chance(0.3)
    ? [random.chance(0.75) ? load(draft, { ...choice, kinds: ['loads after a flag'] }) : store(draft, choice)]
    : [];
  const use = random.chance(0.5)
    ? load(draft, choice)
    : random.chance(0.8)
      ? store(draft, choice)
      : atomic(draft, { place });
  return [
    [from, [...(random.chance(late.length > 0 ? 0.4 : 0.95) ? [first] : []), ...raise(draft, flag, 1), ...late]],
    [
      to,
      [
        ...(random.chance(0.9) ? waitFor(draft, flag, 1) : []),
        use,
        ...(random.chance(0.2) ? [anyAccess(draft, choice)] : []),
      ],
    ],
  ];
}

/**
 * Two actors access data and raise flags of 2 bytes, which are parts of one word. One of them, or
 * each, waits for the flag of the other and accesses its data.
 */
export function partialFlags(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random, care } = draft;
  const flag = flagOf(draft, [from, to]);
  const space = spaceOf(flag);
  const [first, second] = [0, 1].map((half) => addressOf(flag, 2 * half));
  const order = (right: string): string => (random.chance(care) ? right : 'relaxed');
  const raised = (at = ''): PtxPiece =>
    piece([`st.${order('release')}.${scopeOf(draft)}.${space}.u16 ${at}, 1;`], ['parts of a flag']);
  const awaited = (at = ''): PtxPiece =>
    piece(
      [
        '$L1:',
        `ld.${order('acquire')}.${scopeOf(draft)}.${space}.u16 $r1, ${at};`,
        'setp.ne.u32 $p1, $r1, 1;',
        '@$p1 bra $L1;',
      ],
      ['parts of a flag'],
    );
  const choice = { place: random.pick(draft.data), width: 'u32', offset: 0, order: '' } as const;
  const use = (): PtxPiece => (random.chance(0.5) ? load(draft, choice) : store(draft, choice));
  const isMutual = random.chance(0.4);
  return [
    [from, [store(draft, choice), raised(first), ...(isMutual ? [awaited(second), use()] : [])]],
    [to, [raised(second), ...(random.chance(0.9) ? [awaited(first)] : []), use()]],
  ];
}

/** Stores of one value again, around a flag. */
export function rewrite(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random } = draft;
  const flag = flagOf(draft, [from, to]);
  const choice = { place: random.pick(draft.data), width: 'u32', offset: 0, order: '' } as const;
  const value = valueOf(draft);
  const other = value + 1;
  const again = (): readonly PtxPiece[] => [store(draft, { ...choice, value })];
  const hit = random.pick([
    () => store(draft, { ...choice, value: other }),
    () => load(draft, choice),
    () => atomic(draft, { place: choice.place }),
  ] as const);
  return [
    [
      from,
      [
        ...(random.chance(0.5) ? [store(draft, { ...choice, value: other })] : []),
        ...again(),
        ...(random.chance(0.7) ? raise(draft, flag, 1) : []),
      ],
    ],
    [to, [...(random.chance(0.6) ? waitFor(draft, flag, 1) : []), ...(random.chance(0.8) ? again() : []), hit()]],
  ];
}

/** Each actor stores to one word and reads the other. */
export function crossing(draft: PtxDraft, [one, other]: PtxActors): PtxShares {
  const { random, ranks } = draft;
  const [a, b]: readonly [Place, Place] = [
    { base: random.pick(basesOf(ranks)), line: 4 },
    { base: random.pick(basesOf(ranks)), line: 5 },
  ];
  const body = (mine: Place, theirs: Place): readonly PtxPiece[] => [
    store(draft, { place: mine, width: 'u32', offset: 0, order: `.relaxed.${scopeOf(draft)}` }),
    ...(random.chance(0.8) ? [fence(draft)] : []),
    load(draft, { place: theirs, width: 'u32', offset: 0, order: `.relaxed.${scopeOf(draft)}`, kinds: ['crossing'] }),
  ];
  return [
    [one, body(a, b)],
    [other, body(b, a)],
  ];
}

/** A wait inside of a loop that waits for another flag. */
export function nestedWaits(draft: PtxDraft, [from, to]: PtxActors): PtxShares {
  const { random } = draft;
  const [a, b]: readonly [Place, Place] = [
    { base: random.pick(basesOf(draft.ranks)), line: 4 },
    { base: random.pick(basesOf(draft.ranks)), line: 5 },
  ];
  const choice = { place: random.pick(draft.data), width: 'u32', offset: 0, order: '' } as const;
  const poll = (): string =>
    random.chance(0.3) ? 'volatile' : `${random.chance(draft.care) ? 'acquire' : 'relaxed'}.${scopeOf(draft)}`;
  const test = (name: string, flag: Place): readonly string[] => [
    `ld.${poll()}.global.u32 ${name}, ${addressOf(flag)};`,
    `setp.lt.u32 $p1, ${name}, 1;`,
  ];
  const wait = piece(
    random.chance(0.5)
      ? ['$L1:', ...test('$r1', a), '@!$p1 bra $L3;', '$L2:', ...test('$r2', b), '@$p1 bra $L2;', 'bra $L1;', '$L3:']
      : [
          'mov.u32 $r3, 0;',
          '$L1:',
          '$L2:',
          ...test('$r1', a),
          '@$p1 bra $L2;',
          'add.u32 $r3, $r3, 1;',
          'setp.lt.u32 $p2, $r3, 2;',
          '@$p2 bra $L1;',
          '$L3:',
          ...test('$r2', b),
          '@$p1 bra $L3;',
        ],
    ['nested waits'],
  );
  return [
    [
      from,
      [
        store(draft, choice),
        ...raise(draft, b, 1),
        ...(random.chance(0.3) ? [anyAccess(draft)] : []),
        ...raise(draft, a, 1),
      ],
    ],
    [to, [wait, random.chance(0.6) ? load(draft, choice) : store(draft, choice)]],
  ];
}
