import { NcclError } from '@nccl-ts/core';
import type { Finding, MissingKind } from '@nccl-ts/findings';
import { entryOf, readPtxModule, type Harness } from '@nccl-ts/harness';
import { demangle, type PtxModule } from '@nccl-ts/ptx';
import { diffOfEdits, editedSource, withOwnLines, type Edit } from '../edits.ts';
import { entryName } from '../entry-name.ts';
import { AS_IT_IS, inputsOf, type ContextMemory, type RelaxInput } from '../inputs.ts';
import { tried } from '../checked-text.ts';
import { sourceEdits, type AuthorSource } from './author-source.ts';
import { copiedCalls } from './copied-calls.ts';
import { distanceFrom } from './relevance.ts';
import type { Repair, RepairReport } from './repair-report.ts';
import { editsOf, Search } from './search.ts';
import type { Strengthening, StrengtheningKind } from './strengthening.ts';
import { strengtheningsOf } from './strengthenings.ts';

export interface RepairOptions extends ContextMemory {
  /** The name of the text, for messages and the diff. @default 'kernel.ptx' */
  readonly name?: string;
  /** Returns the text of an author's file that the PTX names, so that the finding shows its lines. */
  readonly source?: (path: string) => string | undefined;
  /** The seconds after which the check of one text in one input ends. @default 5 */
  readonly seconds?: number;
  /**
   * The seconds after which the search for a first repair ends. When there is one, the search for
   * others and the checks in other inputs take a few times as long.
   * @default 8
   */
  readonly patience?: number;
  /** The number of CTAs that a GPU can run at once. @default that of the simulator */
  readonly residentCtas?: number;
  /** The source that was compiled to `text`. Repairs are written there where they can be. */
  readonly author?: AuthorSource;
  /** The most repairs to report. @default 3 */
  readonly most?: number;
  /** Called before each step, with what is done. */
  readonly onProgress?: (doing: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Finds the smallest changes after which the check of a kernel finds no error: stronger orders and
 * wider scopes, fences, fences of proxies, waits for copies, and barriers of threads.
 *
 * Each repair has no error in the harness as it is, nor in any of the inputs of `relax` in which
 * the kernel had none before, or in which another repair has none. It is proven as far as the check
 * proves. A repair says nothing of other inputs.
 *
 * @param text the PTX of the kernel, whose harness names one entry
 * @throws NcclError `NCCLTS_COMPILE` if the text cannot be read; `NCCL_INVALID_USAGE` if there is
 *   no verdict for the kernel as it is; `NCCLTS_ABORTED` when `signal` fires.
 */
export async function repair(harness: Harness, text: string, options: RepairOptions = {}): Promise<RepairReport> {
  const { name = 'kernel.ptx', source, seconds = 5, patience = 8, residentCtas, most = 3 } = options;
  const { onProgress, signal, author, inputs: read, outputs: overwritten } = options;
  const begin = performance.now();
  const module = readPtxModule(text, name);
  const entry = entryOf(module, entryName(harness, 'repair'));
  const onCheck = (doing: string): void => {
    if (signal?.aborted === true) throw new NcclError('NCCLTS_ABORTED', 'repair: the signal was fired.');
    onProgress?.(doing);
  };
  const inputs = inputsOf(harness, { inputs: read, outputs: overwritten });
  const base = inputs.find((one) => one.name === AS_IT_IS);
  if (base === undefined) throw new TypeError('repair: no input is the harness as it is');
  // The lines of the PTX are needed here, and not the author's.
  const search = new Search(text, { name, source: undefined, seconds, residentCtas }, begin + 1000 * patience, onCheck);
  const original = await search.check([], base);
  if (original.kind === 'clean') return Object.freeze({ repairs: [], checks: search.checks });
  if (original.kind === 'none')
    throw new NcclError('NCCL_INVALID_USAGE', `repair: there is no verdict for the kernel as it is: ${original.why}.`);
  const shown = await tried(text, base, { name, source, seconds, residentCtas });
  const finding = shown.kind === 'wrong' ? shown.finding : original.finding;
  const distance = distanceFrom(original.finding, name);
  const candidates = strengtheningsOf(module, entry, isShared(original.finding))
    .map((one) => ({ one, far: distance(one) }))
    .toSorted((a, b) => a.far - b.far)
    .map(({ one }) => one);
  const found = await mending(search, base, candidates, original.finding, {
    most,
    copies: author === undefined ? [] : compiledCalls(author, plainEntry(entry.name), onCheck),
  });
  if (found.sets.length > 0) search.extendTo(performance.now() + 4000 * patience);
  const offers = await acrossInputs(search, found.sets, { base, inputs, most, warnings: original.warnings });
  const repairs: Repair[] = [];
  for (const offer of offers) {
    const changes =
      author === undefined ? offer.changes : await inSource(search, offer, { module, author, inputs, onCheck });
    const [written] = changes.flatMap((one) => one.written ?? []);
    const isSource = written !== undefined && author !== undefined;
    repairs.push({
      ...offer,
      changes,
      cost: costOf(changes),
      silences: changes.some(({ silences }) => silences),
      text: written?.text ?? withOwnLines(text, editsOf(changes)),
      diff: isSource ? diffOfEdits(author.text, written.edits, author.file) : diffOfEdits(text, editsOf(changes), name),
      isSource,
    });
  }
  return Object.freeze({
    finding,
    repairs: Object.freeze(repairs),
    ...(repairs.length > 0 ? {} : { reason: found.isComplete ? ('protocol' as const) : ('time' as const) }),
    checks: search.checks,
  });
}

type ChangeSet = readonly Strengthening[];

interface Mending {
  /** Sets of changes that are clean in the harness as it is, the smallest first. */
  readonly sets: readonly ChangeSet[];
  /** False if the time ended before all was tried. */
  readonly isComplete: boolean;
}

/** The most sets that are looked for in a class of changes. */
const ENOUGH = 6;

/** The number of changes of a class, near the places of the finding, that are tried. */
const NEAREST = 16;

/**
 * Finds sets of changes that mend the harness as it is. What the finding asks for is tried first.
 * More order never breaks what less order keeps, so that all orders at once tell if any of them can
 * help. Barriers of threads can block, and are tried one by one.
 */
async function mending(
  search: Search,
  base: RelaxInput,
  candidates: readonly Strengthening[],
  finding: Finding,
  { most, copies }: { readonly most: number; readonly copies: Iterable<Promise<Strengthening | undefined>> },
): Promise<Mending> {
  const sets: ChangeSet[] = [];
  if (isBetweenLaunches(finding)) {
    for (const copy of copies) {
      const one = await copy;
      if (one !== undefined && (await search.check([one], base)).kind === 'clean') sets.push([one]);
      if (search.isOver || sets.length >= most) break;
    }
    if (sets.length > 0) return { sets, isComplete: true };
  }
  let isKnown = true;
  const singles = async (from: readonly Strengthening[]): Promise<void> => {
    let count = 0;
    for (const one of from.slice(0, NEAREST)) {
      if (search.isOver || count >= ENOUGH) return;
      if ((await search.check([one], base)).kind !== 'clean') continue;
      sets.push([one]);
      count++;
    }
  };
  const smallest = async (from: readonly Strengthening[], test: readonly Strengthening[]): Promise<void> => {
    if (search.isOver) return;
    const { kind } = await search.check(strongestFirst(test), base);
    isKnown &&= kind !== 'none';
    if (kind !== 'clean') return;
    const set = await search.smallest(from, base);
    if (set !== undefined) sets.push(set);
  };
  const honest = candidates.filter(({ silences }) => !silences);
  const words = honest.filter((one) => isChanged(one));
  const asked = kindsFor(finding);
  const insert = async (kind: StrengtheningKind): Promise<void> => {
    if (sets.length < most) await singles(honest.filter((one) => one.kind === kind && !isChanged(one)));
  };
  // A barrier that mends is what is missing: a fence that also does is a coincidence.
  if (asked[0] === 'barrier') await insert('barrier');
  if (sets.length === 0) {
    await singles(words.filter(({ kind }) => asked.includes(kind)));
    for (const kind of asked) await insert(kind);
  }
  if (sets.length === 0) await smallest(words, words);
  if (sets.length === 0) {
    const plain = candidates.filter(({ silences }) => silences);
    if (plain.length > 0) await smallest([...plain, ...words], [...words, ...plain]);
  }
  return { sets: sets.toSorted((a, b) => rankOf(a) - rankOf(b)), isComplete: isKnown && !search.isOver };
}

/** True if two launches race, which only a barrier of the ranks can mend. */
function isBetweenLaunches({ labels: [now, before] }: Finding): boolean {
  return now?.launch !== undefined && before?.launch !== undefined && now.rank !== before.rank;
}

/** True if a finding is about shared memory. */
function isShared({ bytes }: Finding): boolean {
  return bytes?.place.kind === 'array' && bytes.place.space === 'shared';
}

/** The kinds of changes that may mend a finding, the most likely first. */
function kindsFor({ kind, missing }: Finding): readonly StrengtheningKind[] {
  const kinds = new Set<StrengtheningKind>(kind === 'proxy' ? ['proxy'] : []);
  for (const one of missing) for (const asked of kindsOf[one.kind]) kinds.add(asked);
  return kinds.size === 0 ? ['order', 'barrier', 'fence'] : [...kinds];
}

const kindsOf: Readonly<Record<MissingKind, readonly StrengtheningKind[]>> = {
  release: ['order', 'fence'],
  acquire: ['order', 'fence'],
  scope: ['order', 'fence'],
  strong: ['order'],
  'coop-sync': ['barrier', 'order', 'fence'],
  synchronisation: ['barrier'],
  completion: ['completion', 'order', 'proxy'],
  'proxy-fence': ['proxy'],
};

function strongestFirst(changes: readonly Strengthening[]): readonly Strengthening[] {
  return changes.toSorted((a, b) => b.cost - a.cost);
}

function isChanged({ does }: Strengthening): boolean {
  return !does.startsWith('insert');
}

function costOf(changes: ChangeSet): number {
  return changes.reduce((sum, { cost }) => sum + cost, 0);
}

/** The order of repairs: small changes first. Those that silence come last. */
function rankOf(changes: ChangeSet): number {
  return costOf(changes) + (changes.some(({ silences }) => silences) ? 100 : 0);
}

/** The name of an entry in its source. */
function plainEntry(name: string): string {
  return /([A-Za-z_]\w*)(?=\s*(?:[<(]|$))/u.exec(demangle(name))?.[1] ?? name;
}

/** Calls copied in the source, compiled one after the other. */
function* compiledCalls(
  author: AuthorSource,
  entry: string,
  onCheck: (doing: string) => void,
): Iterable<Promise<Strengthening | undefined>> {
  for (const { does, line, edits } of copiedCalls(author.text, entry)) {
    onCheck(`${does}, compiled`);
    yield compiled(author, edits).then((text) =>
      text === undefined
        ? undefined
        : {
            kind: 'call',
            does,
            instruction: '',
            edits: [],
            lines: [line],
            cost: 5,
            silences: false,
            depth: 0,
            written: { edits, text },
          },
    );
  }
}

/** The PTX of a changed source. `undefined` if it cannot be compiled. */
async function compiled({ text, compile }: AuthorSource, edits: readonly Edit[]): Promise<string | undefined> {
  try {
    return await compile(editedSource(text, edits));
  } catch {
    return undefined;
  }
}

/**
 * The changes of an offer, written in the source if that is as good in all inputs: it is compiled
 * and checked there.
 */
async function inSource(
  search: Search,
  { changes, survives }: Offer,
  {
    module,
    author,
    inputs,
    onCheck,
  }: {
    readonly module: PtxModule;
    readonly author: AuthorSource;
    readonly inputs: readonly RelaxInput[];
    readonly onCheck: (doing: string) => void;
  },
): Promise<ChangeSet> {
  if (changes.some(({ written }) => written !== undefined)) return changes;
  const ways = changes.map((one) => sourceEdits(one, module, author));
  const most = Math.max(...ways.map(({ length }) => length));
  for (let i = 0; i < most; i++) {
    const edits = ways.flatMap((way) => way[Math.min(i, way.length - 1)] ?? []);
    if (ways.some(({ length }) => length === 0)) return changes;
    onCheck('the change in the source, compiled');
    const text = await compiled(author, edits);
    if (text === undefined) continue;
    const [first, ...others] = changes;
    if (first === undefined) return changes;
    const made = [{ ...first, written: { edits, text } }, ...others];
    let isAsGood = true;
    for (const input of inputs.filter((one) => survives.includes(one.name)))
      isAsGood &&= (await search.check(made, input)).kind === 'clean';
    if (isAsGood) return made;
  }
  return changes;
}

interface Offer extends Pick<Repair, 'survives' | 'fails' | 'isProven'> {
  readonly changes: ChangeSet;
}

/** Keeps the sets that are as good as any in all inputs that can be mended. */
async function acrossInputs(
  search: Search,
  sets: readonly ChangeSet[],
  {
    base,
    inputs,
    most,
    warnings,
  }: { base: RelaxInput; inputs: readonly RelaxInput[]; most: number; warnings: readonly string[] },
): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  const mended = new Set<string>();
  for (const changes of sets) {
    if (offers.length >= most + 1 || (offers.length > 0 && search.isOver)) break;
    const own = await search.check(changes, base);
    if (own.kind !== 'clean' || own.warnings.some((one) => !warnings.includes(one))) continue;
    const survives = [base.name];
    const fails: { input: string; why: string }[] = [];
    const proven: string[] = [];
    let isWorse = false;
    for (const input of inputs) {
      if (input === base) continue;
      const trial = await search.check(changes, input);
      if (trial.kind === 'clean') {
        survives.push(input.name);
        if (trial.isProven) proven.push(input.name);
      }
      if (trial.kind !== 'wrong') continue;
      // Only barriers can break what was right. Otherwise schedules that were sampled missed it.
      const before = await search.check([], input);
      isWorse = before.kind === 'clean' && (before.isProven || changes.some(({ kind }) => kind === 'barrier'));
      if (isWorse) break;
      fails.push({ input: input.name, why: trial.finding.message });
    }
    if (isWorse) continue;
    offers.push({ changes, survives, fails, isProven: own.isProven });
    for (const input of proven) mended.add(input);
  }
  return offers
    .filter(({ fails }) => fails.every(({ input }) => !mended.has(input)))
    .toSorted((a, b) => Number(b.isProven) - Number(a.isProven))
    .slice(0, most);
}
