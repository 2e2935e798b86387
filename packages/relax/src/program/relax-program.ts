import type { HostProgram } from '@nccl-ts/checker';
import { at, NcclError, WARP_SIZE } from '@nccl-ts/core';
import type { CheckedText } from '../checked-text.ts';
import { AS_IT_IS } from '../inputs.ts';
import { judgementOf, killedIn, offersTogether, unusableOf, type CleanText, type Killed } from '../killed.ts';
import type { JudgedInput } from '../relax-report.ts';
import { ChangedKernels, type LaunchedKernel, type PlaceChange } from './changed-kernels.ts';
import {
  checkProgram,
  dividedBy,
  LARGER,
  LARGER_NAME,
  RANKS,
  type ProgramInput,
  type ProgramLaunch,
} from './check-program.ts';
import { programPlaces, type ProgramPlace } from './program-places.ts';
import type { JudgedProgramPlace, ProgramRelaxReport } from './program-report.ts';
import { writtenOffers } from './written-offers.ts';

export interface RelaxProgramOptions extends ProgramLaunch {
  /**
   * The numbers of ranks to check. The first one with a proof is the program as it is.
   *
   * @default [2, 3, 4]
   */
  readonly ranks?: readonly number[];
  /** Only kernels of this name. @default all */
  readonly kernel?: string;
  /** The text of a file with kernels, in which offers are written; `undefined` for no such file. */
  readonly textOf?: (path: string) => string | undefined;
  /** Called before each step, with what is done. */
  readonly onProgress?: (doing: string) => void;
}

/**
 * Says for each synchronization of the kernels that a program launches if the program is right
 * without it, and finds a set of them that can go together.
 *
 * An offer (`removable` or `weaker`) holds for every schedule of this program on all usable numbers
 * of ranks. It also holds if each rank loads and stores the words of its windows before and after
 * each launch, with the sizes that `host` has for `scale: 8`, and if each launch is made twice.
 * There is none for a host that ignores `scale`, nor for a kernel with a window that can neither be
 * rewritten nor read there. An offer holds for no other program. No offer rests on an
 * approximation, on schedules that were only sampled, or on what only today's GPUs order.
 *
 * @param host is called once for each rank of each check, and must do the same each time.
 * @throws NcclError `NCCL_INVALID_USAGE` if the program as it is has no proof with any number of
 *   ranks; `NCCL_INVALID_ARGUMENT` if it launches no such `kernel`; `NCCLTS_ABORTED` when `signal`
 *   fires.
 */
export async function relaxProgram(host: HostProgram, options: RelaxProgramOptions = {}): Promise<ProgramRelaxReport> {
  const measure = new Measure(host, options);
  await measure.begin();
  const { kernel, textOf } = options;
  const chosen = measure.kernels.filter(({ module }) => kernel === undefined || module.name === kernel);
  if (chosen.length === 0) throw new NcclError('NCCL_INVALID_ARGUMENT', `relax: ${unknownKernel(kernel, measure)}.`);
  const places = chosen.flatMap(({ module }) => programPlaces(module));
  const unique = [...new Map(places.map((place) => [place.key, place])).values()];
  const alone: JudgedProgramPlace[] = [];
  for (const place of unique) alone.push(await measure.judged(place));
  const judged = alone.map((one) => withoutIdleWaits(one, alone));
  const joint = await measure.together(judged);
  const modules = chosen.map(({ module }) => module);
  const written = textOf === undefined ? [] : writtenOffers(judged, joint, modules, textOf);
  return Object.freeze({
    places: Object.freeze(judged),
    inputs: Object.freeze(measure.inputs),
    joint: Object.freeze(joint),
    written: Object.freeze(written),
  });
}

function unknownKernel(kernel: string | undefined, { kernels }: Measure): string {
  const names = [...new Set(kernels.map(({ module }) => module.name))].join(', ');
  return `the program launches no kernel ${kernel ?? ''}; it launches ${names === '' ? 'none' : names}`;
}

/**
 * The judgement of a place, if an offer may count. A wait that no input needs is one for a later
 * round of the kernel, which larger sizes reach: the inputs are too small for all its offers.
 */
function withoutIdleWaits(one: JudgedProgramPlace, all: readonly JudgedProgramPlace[]): JudgedProgramPlace {
  const { place, to } = one;
  const idle = all.find(
    (other) =>
      other.place.kernel === place.kernel && other.judgement === 'removable' && other.place.name.startsWith('wait'),
  );
  if (idle === undefined || to === undefined) return one;
  const why = `no input needs the wait at ${idle.place.at}, so none is large enough to judge`;
  return { place, judgement: 'not judged', why };
}

interface UsableProgramInput extends ProgramInput {
  readonly original: CleanText;
}

function accessesOf({ original }: UsableProgramInput): number {
  return original.report.accesses;
}

/** The shape of an input, for its name. */
function on({ ranks, scale }: Pick<ProgramInput, 'ranks' | 'scale'>): string {
  return ` around each launch (${ranks} ranks${scale === undefined ? '' : `, ${LARGER_NAME}`})`;
}

/** Compares the verdicts of a program with changed kernels with those of the program itself. */
class Measure {
  readonly inputs: JudgedInput[] = [];
  readonly #host: HostProgram;
  readonly #options: RelaxProgramOptions;
  readonly #usable: UsableProgramInput[] = [];
  #kernels: readonly LaunchedKernel[] = [];
  #windows = 0;
  /** The windows that can be rewritten or read around each launch. */
  #judged: ReadonlySet<number> = new Set();
  /** True if the host has read `scale`. */
  #scales = false;
  /** True if its program is larger with a larger one. */
  #grows = false;

  constructor(host: HostProgram, options: RelaxProgramOptions) {
    this.#host = host;
    this.#options = options;
  }

  get kernels(): readonly LaunchedKernel[] {
    return this.#kernels;
  }

  /** Checks the program as it is in all inputs. */
  async begin(): Promise<void> {
    const { lsaSize, ranks = RANKS } = this.#options;
    const right: number[] = [];
    for (const count of dividedBy(lsaSize, ranks)) {
      const name = right.length === 0 ? AS_IT_IS : `${count} ranks`;
      if (await this.#offers({ name, ranks: count, rewritten: 'none' })) right.push(count);
    }
    const [first] = right;
    const most = right.at(-1);
    if (first === undefined || most === undefined) {
      const why = this.inputs.map(({ unusable }) => unusable).find((one) => one !== undefined);
      throw new NcclError('NCCL_INVALID_USAGE', `relax: the program as it is cannot be the measure: ${why}.`);
    }
    await this.#larger(first);
    // With two ranks, the neighbours on both sides are one rank.
    for (const count of new Set([first, most])) {
      const judged = await this.#rewritten({ ranks: count });
      if (count === most) this.#judged = judged;
    }
    if (this.#grows) await this.#rewritten({ ranks: most, scale: LARGER });
    for (const count of new Set([first, most]))
      await this.#offers({ name: `each launch twice (${count} ranks)`, ranks: count, rewritten: 'none', twice: true });
  }

  /**
   * Checks the program with windows that are rewritten: all of them, or else one by one. Returns
   * those that can be rewritten or read.
   */
  async #rewritten(shape: Pick<ProgramInput, 'ranks' | 'scale'>): Promise<ReadonlySet<number>> {
    const all = await this.#offers({ name: `all windows rewritten${on(shape)}`, ...shape, rewritten: 'all' });
    const judged = new Set<number>();
    for (let window = 0; window < this.#windows; window++) {
      const one = { ...shape, rewritten: window } as const;
      const isJudged =
        all ||
        (await this.#offers({ name: `window ${window} rewritten${on(shape)}`, ...one })) ||
        (await this.#offers({ name: `window ${window} read${on(shape)}`, ...one, reads: true }));
      if (isJudged) judged.add(window);
    }
    return judged;
  }

  /** Checks the program with larger sizes, if its host has any. */
  async #larger(ranks: number): Promise<void> {
    const name = LARGER_NAME;
    const one = { name, unusable: 'host has one size: let its sizes grow with the scale of its second parameter' };
    if (!this.#scales) {
      this.inputs.push(one);
      return;
    }
    const [small] = this.#usable;
    if (!(await this.#offers({ name, ranks, rewritten: 'none', scale: LARGER }))) return;
    const large = this.#usable.at(-1);
    this.#grows = large !== undefined && small !== undefined && accessesOf(large) > accessesOf(small);
    if (this.#grows) return;
    // A host that reads the scale need not use it.
    this.#usable.pop();
    this.inputs.splice(-1, 1, one);
  }

  async judged(place: ProgramPlace): Promise<JudgedProgramPlace> {
    const not = (why: string): JudgedProgramPlace => ({ place, judgement: 'not judged', why });
    const kills: Killed[] = [];
    for (const to of place.changes) {
      this.#step(`${place.at}: ${place.name} ${to}`);
      const killed = await this.#killed([{ place, to }]);
      if (killed !== undefined) {
        kills.push(killed);
        continue;
      }
      const lacking = await this.#lackOf(place);
      if (lacking !== undefined) return not(lacking);
      return { place, judgement: to === 'removed' ? 'removable' : 'weaker', to };
    }
    const judgement = { place, ...judgementOf(kills.at(-1)) };
    const to = place.changes.at(-1);
    if (judgement.judgement !== 'needed' || judgement.input === AS_IT_IS || to === undefined) return judgement;
    const isRightHere = (await this.#killed([{ place, to }], this.#asItIs)) === undefined;
    return isRightHere ? { ...judgement, judgement: 'only here' } : judgement;
  }

  /** Finds offers that hold together. */
  async together(judged: readonly JudgedProgramPlace[]): Promise<readonly number[]> {
    const changes = (chosen: readonly number[]): readonly PlaceChange[] =>
      chosen.flatMap((index) => {
        const { place, to } = at(judged, index);
        return to === undefined ? [] : [{ place, to }];
      });
    const offers = judged.flatMap(({ to }, index) => (to === undefined ? [] : [index]));
    return offersTogether(
      offers,
      async (chosen) => this.#killed(changes(chosen)),
      (doing) => this.#step(doing),
    );
  }

  get #asItIs(): readonly UsableProgramInput[] {
    return this.#usable.filter(({ name }) => name === AS_IT_IS);
  }

  /** Checks the program itself in an input. Returns true if it has a proof there. */
  async #offers(input: ProgramInput): Promise<boolean> {
    this.#step(`the program as it is, ${input.name} (${input.ranks} ranks)`);
    const kernels = new ChangedKernels([], input);
    const trial = await this.#tried(input, kernels);
    if (this.#kernels.length === 0) this.#kernels = kernels.kernels;
    this.#windows = Math.max(this.#windows, kernels.windows);
    const isEmpty = (input.rewritten !== 'none' || input.twice === true) && kernels.added === 0;
    const unusable = isEmpty ? 'no launch has such a window' : unusableOf(trial);
    this.inputs.push({ name: input.name, ...(unusable === undefined ? {} : { unusable }) });
    if (trial.kind !== 'clean' || unusable !== undefined) return false;
    // Rewritten windows show most often that a synchronization is needed, so they come first.
    const one = { ...input, original: trial };
    if (input.rewritten === 'none' && input.twice !== true) this.#usable.push(one);
    else this.#usable.unshift(one);
    return true;
  }

  /** The reason why the inputs do not suffice for an offer. */
  async #lackOf(place: ProgramPlace): Promise<string | undefined> {
    const launched = this.#kernels.find(({ module }) => module.name === place.kernel);
    const { blockThreads = 0, windows = [] } = launched ?? {};
    if (place.name === 'sync' && blockThreads <= WARP_SIZE) return 'it is reached only by CTAs of one warp';
    const reached: UsableProgramInput[] = [];
    for (const input of this.#usable) {
      const trial = await this.#tried(input, new ChangedKernels([{ place, to: 'probed' }], input));
      if (trial.kind === 'wrong') reached.push(input);
    }
    if (reached.length === 0) return 'no input reaches it';
    const larger = this.inputs.find(({ name }) => name === LARGER_NAME);
    if (!reached.some(({ scale }) => scale !== undefined))
      return `no larger program can judge it: ${larger?.unusable ?? 'it does not reach it'}`;
    const unknown = [...windows].find((window) => !this.#judged.has(window));
    if (unknown !== undefined)
      return `window ${unknown} can neither be rewritten nor read around each launch, so nothing shows what the place protects there`;
    return reached.some(({ rewritten }) => rewritten !== 'none')
      ? undefined
      : 'the program as it is cannot be checked with windows that are rewritten around each launch';
  }

  async #killed(
    changes: readonly PlaceChange[],
    inputs: readonly UsableProgramInput[] = this.#usable,
  ): Promise<Killed | undefined> {
    for (const input of inputs) {
      const trial = await this.#tried(input, new ChangedKernels(changes, input));
      const killed = killedIn(input.name, trial, input.original);
      if (killed !== undefined) return killed;
    }
    return undefined;
  }

  async #tried(input: ProgramInput, kernels: ChangedKernels): Promise<CheckedText> {
    const onScale = (): void => {
      this.#scales = true;
    };
    return checkProgram(this.#host, input, kernels, { ...this.#options, onScale });
  }

  #step(doing: string): void {
    const { signal, onProgress } = this.#options;
    if (signal?.aborted === true) throw new NcclError('NCCLTS_ABORTED', 'relax: the signal was fired.');
    onProgress?.(doing);
  }
}
