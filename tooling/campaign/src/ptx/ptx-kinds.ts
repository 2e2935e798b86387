import type { Kind } from '../kinds.ts';
import type { PtxPart, PtxProgram } from './ptx-program.ts';

/** One access of a line of 16 bytes by a fixed address. */
interface TextAccess {
  readonly opcode: string;
  readonly line: string;
  readonly bytes: number;
  /** The constant that a store stores. */
  readonly stored: string | undefined;
}

const access =
  /(?<opcode>ld|st|atom|red|multimem\.\w+)\.(?:[\w:]+\.)*?(?:v(?<count>[248])\.)?[ubs](?<bits>8|16|32|64)\s.*?\[(?<base>M[012C]|S)(?:\+(?<offset>\d+))?\](?:,\s*\{?(?<stored>\d+))?/u;

/** The kinds of a program, by its text and by the patterns that made it. */
export function ptxKinds(program: PtxProgram): ReadonlySet<Kind> {
  const { ranks, grid, block, kernels, steps, isCleared } = program;
  const pieces = kernels.flatMap(({ parts }) => parts.flatMap(piecesOf));
  const lines = pieces.flatMap((piece) => piece.lines);
  const text = lines.join('\n');
  const found = new Set<Kind>(pieces.flatMap((piece) => piece.kinds));
  const add = (kind: Kind, holds: boolean): void => {
    if (holds) found.add(kind);
  };
  add('volatile', text.includes('.volatile.'));
  add('vectors', /\.v[248]\./u.test(text));
  add('counted barriers', /barrier\.cta\.\w+ \d+, \d+/u.test(text));
  add('named barriers', /barrier\.cta\.\w+ \d+/u.test(text));
  add('mbarriers', text.includes('mbarrier.arrive'));
  add('bulk copies', text.includes('cp.async.bulk.'));
  add('multimem', text.includes('multimem.') || text.includes('[MC'));
  const usesShared = text.includes('[S');
  add('shared memory', usesShared);
  add('unset shared memory', usesShared && !isCleared);
  add('3 ranks x 2 CTAs x 2 warps', ranks === 3 && grid === 2 && block === 64);
  addHosts(steps, add);
  addAccesses(lines.flatMap(accessOf), add);
  return found;
}

type Add = (kind: Kind, holds: boolean) => void;

function addHosts(steps: PtxProgram['steps'], add: Add): void {
  const launches = steps.flatMap((step) => (step.kind === 'launch' ? [step.stream] : []));
  const first = steps.findIndex(({ kind }) => kind === 'launch');
  const last = steps.findLastIndex(({ kind }) => kind === 'launch');
  add('several launches', launches.length > 1);
  add('two streams', new Set(launches).size > 1);
  add(
    'host writes between launches',
    steps.some(({ kind }, index) => kind === 'write' && index > first && index < last),
  );
}

function addAccesses(all: readonly TextAccess[], add: Add): void {
  const lines = new Map<string, TextAccess[]>();
  for (const one of all) lines.set(one.line, [...(lines.get(one.line) ?? []), one]);
  const stored: string[] = [];
  for (const accesses of lines.values()) {
    const sizes = new Set(accesses.map(({ bytes }) => bytes));
    add('mixed sizes on one word', sizes.size > 1);
    add('partial words', accesses.length > 1 && (sizes.has(1) || sizes.has(2)));
    const atomics = new Set(
      accesses.filter(({ opcode }) => opcode === 'atom' || opcode === 'red').map(({ bytes }) => bytes),
    );
    add('64-bit beside 32-bit atomics', atomics.has(8) && atomics.has(4));
    const values = accesses.flatMap((one) => (one.opcode === 'st' && one.stored !== undefined ? [one.stored] : []));
    add('same-value stores', new Set(values).size < values.length);
    stored.push(...values);
  }
  add('unique values', stored.length > 1 && new Set(stored).size === stored.length);
}

function accessOf(line: string): readonly TextAccess[] {
  const groups = access.exec(line)?.groups;
  if (groups === undefined) return [];
  const { opcode = '', base = '', offset = '0', count = '1', bits = '32', stored } = groups;
  return [
    { opcode, line: `${base} ${Math.floor(Number(offset) / 16)}`, bytes: (Number(bits) / 8) * Number(count), stored },
  ];
}

function piecesOf(part: PtxPart): Extract<PtxPart, { readonly kind: 'warp' }>['pieces'] {
  return part.kind === 'warp' ? part.pieces : [];
}
