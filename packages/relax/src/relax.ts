import { NcclError } from '@nccl-ts/core';
import { entryOf, readPtxModule, type Harness } from '@nccl-ts/harness';
import { ptxDiffOf, edited, withOwnLines, type Edit } from './edits.ts';
import { entryName } from './entry-name.ts';
import { AS_IT_IS, inputsOf, isOneWarp, type ContextMemory, type RelaxInput } from './inputs.ts';
import { guardOf, placesOf, type SyncPlace } from './places.ts';
import type { JudgedInput, JudgedPlace, RelaxReport } from './relax-report.ts';
import { tried, type CheckedTextOptions } from './checked-text.ts';
import { judgementOf, killedIn, offersTogether, unusableOf, type CleanText, type Killed } from './killed.ts';

export interface RelaxOptions extends ContextMemory {
  /** The name of the text, for messages and the diff. @default 'kernel.ptx' */
  readonly name?: string;
  /** Returns the text of an author's file that the PTX names, so that findings show its lines. */
  readonly source?: (path: string) => string | undefined;
  /** The seconds after which the check of one text in one input ends. @default 5 */
  readonly seconds?: number;
  /** Called before each step, with what is done. */
  readonly onProgress?: (doing: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Says for each synchronization of a kernel if the kernel is right without it, and finds a set of
 * them that can go together.
 *
 * An offer (`removable` or `weaker`) holds for every schedule of every usable input. The inputs are
 * the harness as it is, more warps, CTAs, launches and ranks, a producer that writes the inputs
 * again before each launch, and a consumer that overwrites the outputs after it. An offer holds for
 * no other input: the caller must know if the kernel is used in another way. No offer rests on an
 * approximation, on schedules that were only sampled, or on what only today's GPUs order.
 *
 * @param text the PTX of the kernel, whose harness names one entry
 * @throws NcclError `NCCLTS_COMPILE` if the text cannot be read; `NCCL_INVALID_USAGE` if the kernel
 *   as it is has no proof in the harness as it is; `NCCLTS_ABORTED` when `signal` fires.
 */
export async function relax(harness: Harness, text: string, options: RelaxOptions = {}): Promise<RelaxReport> {
  const { name = 'kernel.ptx', source, seconds = 5, onProgress, signal, inputs, outputs } = options;
  const given = { name, source, seconds };
  const module = readPtxModule(text, name);
  const places = placesOf(module, entryOf(module, entryName(harness, 'relax')));
  const stop = (doing: string): void => {
    if (signal?.aborted === true) throw new NcclError('NCCLTS_ABORTED', 'relax: the signal was fired.');
    onProgress?.(doing);
  };
  const usable: UsableInput[] = [];
  const judgedInputs: JudgedInput[] = [];
  for (const input of inputsOf(harness, { inputs, outputs })) {
    stop(`the kernel as it is, ${input.name}`);
    const trial = await tried(text, input, given);
    const unusable = unusableOf(trial);
    judgedInputs.push({ name: input.name, ...(unusable === undefined ? {} : { unusable }) });
    if (trial.kind === 'clean' && unusable === undefined) usable.push({ input, original: trial });
    else if (input.name === AS_IT_IS)
      throw new NcclError('NCCL_INVALID_USAGE', `relax: the kernel as it is cannot be the measure: ${unusable}.`);
  }
  const judge = new Judge(text, usable, judgedInputs, given, stop);
  const judged: JudgedPlace[] = [];
  for (const place of places) judged.push(await judge.place(place));
  const joint = await judge.together(judged);
  const changed = withOwnLines(text, editsOf(judged, joint));
  return Object.freeze({
    places: Object.freeze(judged),
    inputs: Object.freeze(judgedInputs),
    joint,
    text: changed,
    diff: ptxDiffOf(text, changed, name),
  });
}

/** An input in which the kernel as it is has a proof. */
interface UsableInput {
  readonly input: RelaxInput;
  readonly original: CleanText;
}

function editsOf(judged: readonly JudgedPlace[], chosen: readonly number[]): readonly Edit[] {
  return chosen.flatMap((index) => {
    const one = judged[index];
    return one?.weakening === undefined ? [] : [{ span: one.place.span, with: one.weakening.text }];
  });
}

/** Judges places one by one, and together. */
class Judge {
  readonly #text: string;
  readonly #inputs: readonly UsableInput[];
  readonly #all: readonly JudgedInput[];
  readonly #options: CheckedTextOptions;
  readonly #stop: (doing: string) => void;

  constructor(
    text: string,
    inputs: readonly UsableInput[],
    all: readonly JudgedInput[],
    options: CheckedTextOptions,
    stop: (doing: string) => void,
  ) {
    this.#text = text;
    this.#inputs = inputs;
    this.#all = all;
    this.#options = options;
    this.#stop = stop;
  }

  async place(place: SyncPlace): Promise<JudgedPlace> {
    const { unjudged, weakenings, kind } = place;
    const not = (why: string): JudgedPlace => ({ place, judgement: 'not judged', why });
    if (unjudged !== undefined) return not(unjudged);
    const kills: Killed[] = [];
    for (const weakening of weakenings) {
      this.#stop(`${place.instruction}: ${weakening.does}`);
      const killed = await this.#killed([{ span: place.span, with: weakening.text }]);
      if (killed !== undefined) {
        kills.push(killed);
        continue;
      }
      const reached = await this.#reachedBy(place);
      if (reached.length === 0) return not('no input reaches it');
      const lacking = this.#lackOf(reached, kind === 'barrier');
      if (lacking !== undefined) return not(lacking);
      return { place, judgement: weakening.text === '' ? 'removable' : 'weaker', weakening };
    }
    const judgement = { place, ...judgementOf(kills.at(-1)) };
    const last = weakenings.at(-1);
    if (judgement.judgement !== 'needed' || judgement.input === AS_IT_IS || last === undefined) return judgement;
    const base = this.#inputs.filter(({ input }) => input.name === AS_IT_IS);
    const isRightHere = (await this.#killed([{ span: place.span, with: last.text }], base)) === undefined;
    return isRightHere ? { ...judgement, judgement: 'only here' } : judgement;
  }

  /** Finds offers that hold together. */
  async together(judged: readonly JudgedPlace[]): Promise<readonly number[]> {
    const offers = judged.flatMap(({ weakening }, index) => (weakening === undefined ? [] : [index]));
    return offersTogether(offers, async (chosen) => this.#killed(editsOf(judged, chosen)), this.#stop);
  }

  /**
   * The reason why the inputs that reach a place do not suffice for an offer. A barrier of threads
   * matters only between warps, and what the kernel leaves behind only to what follows it.
   */
  #lackOf(reached: readonly UsableInput[], isBarrier: boolean): string | undefined {
    const wide = reached.filter(({ input }) => !isBarrier || !isOneWarp(input.harness));
    if (wide.length === 0) return 'it is reached only by CTAs of one warp';
    for (const [what, name] of [
      ['producer', 'a producer'],
      ['consumer', 'a consumer'],
    ] as const) {
      if (wide.some(({ input }) => input.harness.around?.[what] === true)) continue;
      const why = this.#all.find((one) => one.name.startsWith(name) && one.unusable !== undefined)?.unusable;
      return `no input with ${name}${isBarrier ? ' and several warps' : ''} can judge it${why === undefined ? '' : `: ${why}`}`;
    }
    return undefined;
  }

  async #killed(edits: readonly Edit[], inputs = this.#inputs): Promise<Killed | undefined> {
    const text = edited(this.#text, edits);
    for (const { input, original } of inputs) {
      const trial = await tried(text, input, this.#options);
      const killed = killedIn(input.name, trial, original);
      if (killed !== undefined) return killed;
    }
    return undefined;
  }

  /** The inputs in which a thread comes to a place: a trap there is an error. */
  async #reachedBy({ span }: SyncPlace): Promise<readonly UsableInput[]> {
    const instruction = this.#text.slice(span.start, span.end);
    const text = edited(this.#text, [{ span, with: `${guardOf(instruction)}trap; ${instruction}` }]);
    const reached: UsableInput[] = [];
    for (const one of this.#inputs) {
      if ((await tried(text, one.input, this.#options)).kind === 'wrong') reached.push(one);
    }
    return reached;
  }
}
